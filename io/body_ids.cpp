#include "io/body_ids.hpp"

namespace vicinal::io {

BodyIds::BodyIds(std::vector<std::int64_t> ids)
    : count_(ids.size()), given_(true), ids_(std::move(ids)) {
    indices_.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i)
        if (!indices_.emplace(ids_[i], static_cast<Index>(i)).second && !repeated_)
            repeated_ = i;
}

std::optional<Index> BodyIds::index_of(std::int64_t id) const {
    if (!given_) {
        if (id < 0 || static_cast<std::uint64_t>(id) >= count_) return {};
        return static_cast<Index>(id);
    }
    const auto found = indices_.find(id);
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace vicinal::io
