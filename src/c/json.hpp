// Reports and methods as JSON.
#pragma once

#include <string>

#include <vicinal/report.hpp>

namespace vicinal::inline VICINAL_API {

template <int D>
std::string json_of(const Report<D>& report);

extern template std::string json_of(const Report<2>&);
extern template std::string json_of(const Report<3>&);

// All methods of this build.
std::string json_of_methods();

}  // namespace vicinal::inline VICINAL_API
