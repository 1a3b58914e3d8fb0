#include "sieve/direct_images.hpp"

#include <cmath>

#include "base/cancellation.hpp"
#include "base/text.hpp"
#include "sieve/decide.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Enumerates the images that bring one body within reach of another (as Fincke and Pohst do for
// short vectors): axes are bounded from the outermost to the innermost, each by the
// Gram-Schmidt component of its lattice vector, given the shifts chosen so far. In a skewed
// cell this visits far fewer images than independent bounds for each axis.
template <Real T, int D>
class ImageWalk {
  public:
    using ImageRange = typename Scene<T, D>::ImageRange;

    explicit ImageWalk(const Lattice<T, D>& lattice) : drifting_(lattice.change != 0) {
        for (std::size_t k = D; k-- > 0;)
            if (lattice.periodic[k]) axis_[count_++] = k;
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t a = 0; a < D; ++a) h_[k][a] = static_cast<double>(lattice.h[k][a]);
        // Axis 0 is outermost, so that pairs are found in sorted order, unless the lattice
        // planes of another axis are twice as far apart: then fewer of them are within reach.
        for (std::size_t last = count_; last-- > 1;) {
            std::size_t best = last;
            for (std::size_t l = 0; l <= last; ++l)
                if (across(l, last) > 2 * across(best, last)) best = l;
            std::swap(axis_[best], axis_[last]);
        }
        for (std::size_t l = 0; l < count_; ++l) {
            normal_[l] = h_[axis_[l]];
            remove_before(l, normal_[l]);
            normalise(normal_[l]);
        }
    }

    // Upper bound of the number of steps.
    double work(const ImageRange& images) const {
        double all = 1, sum = 0;
        for (std::size_t l = count_; l-- > 0;) {
            const double width = static_cast<double>(images.shifts.hi[axis_[l]]) -
                                 images.shifts.lo[axis_[l]] + 1;
            all *= std::max(0.0, drifting_ ? width : std::min(width, steps(images, l)));
            sum += all;
        }
        return sum;
    }

    template <class F>
    void for_each(const ImageRange& images, const F& f) const {
        if (drifting_) return for_each_between(images.shifts.lo, images.shifts.hi, f);
        for (std::size_t k = 0; k < D; ++k)
            if (images.shifts.hi[k] < images.shifts.lo[k]) return;
        Shift<D> n{};
        descend(images, count_, n, f);
    }

  private:
    using Lengths = std::array<double, D>;

    static double dot(const Lengths& a, const Lengths& b) {
        double sum = 0;
        for (std::size_t k = 0; k < D; ++k) sum += a[k] * b[k];
        return sum;
    }
    static double length(const Lengths& x) {
        double largest = 0, sum = 0;  // squares may overflow
        for (const double c : x) largest = std::max(largest, std::abs(c));
        if (!(largest > 0)) return 0;
        for (const double c : x) sum += c / largest * (c / largest);
        return largest * std::sqrt(sum);
    }
    static void normalise(Lengths& x) {
        const double whole = length(x);
        for (double& c : x) c = whole > 0 ? c / whole : 0;
    }
    // Removes from x its components along the vectors before l.
    void remove_before(std::size_t l, Lengths& x) const {
        for (std::size_t m = 0; m < l; ++m) {
            const double along = dot(x, normal_[m]);
            for (std::size_t a = 0; a < D; ++a) x[a] -= along * normal_[m][a];
        }
    }
    // Distance between the planes of the vectors up to `last` except l.
    double across(std::size_t l, std::size_t last) {
        std::size_t count = 0;
        for (std::size_t m = 0; m <= last; ++m) {
            if (m == l) continue;
            normal_[count] = h_[axis_[m]];
            remove_before(count, normal_[count]);
            normalise(normal_[count]);
            ++count;
        }
        Lengths rest = h_[axis_[l]];
        remove_before(count, rest);
        return length(rest);
    }

    // The maximum distance of an image's centre from the origin along a normal. The bound holds
    // despite rounding of the normal: it adds the remaining components along the vectors before
    // it, and a little for the sums.
    double reach(const ImageRange& images, std::size_t l) const {
        double sum = 0;
        for (std::size_t a = 0; a < D; ++a)
            sum += (images.apart.half[a] + 1e-14 * std::abs(images.apart.centre[a])) *
                   std::abs(normal_[l][a]);
        for (std::size_t m = 0; m < count_; ++m) {
            const std::size_t k = axis_[m];
            const double max_shift =
                std::max(std::abs(images.shifts.lo[k]), std::abs(images.shifts.hi[k]));
            if (m < l) sum += max_shift * std::abs(dot(h_[k], normal_[l]));
            for (std::size_t a = 0; a < D; ++a)
                sum += 1e-14 * max_shift * std::abs(h_[k][a] * normal_[l][a]);
        }
        return sum;
    }
    double steps(const ImageRange& images, std::size_t l) const {
        const double step = dot(h_[axis_[l]], normal_[l]);
        return step > 0 ? std::floor(2 * reach(images, l) / step) + 1
                        : std::numeric_limits<double>::infinity();
    }

    template <class F>
    void descend(const ImageRange& images, std::size_t levels, Shift<D>& n, const F& f) const {
        if (levels == 0) return f(n);
        const std::size_t l = levels - 1, k = axis_[l];
        const double step = dot(h_[k], normal_[l]);
        double middle = dot(images.apart.centre, normal_[l]);
        for (std::size_t m = levels; m < count_; ++m)
            middle += n[axis_[m]] * dot(h_[axis_[m]], normal_[l]);
        const double max_distance = reach(images, l);
        const auto lo = static_cast<double>(images.shifts.lo[k]),
                   hi = static_cast<double>(images.shifts.hi[k]);
        double first = lo, last = hi;
        if (step > 0 && std::isfinite(middle) && std::isfinite(max_distance)) {
            first = std::clamp(std::ceil((-max_distance - middle) / step), lo, hi + 1);
            last = std::clamp(std::floor((max_distance - middle) / step), lo - 1, hi);
        }
        const auto from = static_cast<std::int32_t>(first),
                   to = static_cast<std::int32_t>(last);
        for (n[k] = from; n[k] <= to; ++n[k]) descend(images, l, n, f);
    }

    bool drifting_;
    std::size_t count_ = 0;              // periodic axes
    std::array<std::size_t, D> axis_{};  // innermost first
    std::array<Lengths, D> h_{}, normal_{};
};

// Of determining which images of a body may be within reach of another: see poll_cancelled().
constexpr std::size_t image_range_work = 8;

}  // namespace

std::uint64_t max_image_tests(std::uint64_t body_pairs, std::uint64_t max_pairs) {
    constexpr double linear_pairs = 300.0 * 300.0;  // of bodies: at most a second of work
    const auto pairs = static_cast<double>(body_pairs);
    const double max_tests =
        std::max(0x1p22, 128 * pairs * std::max(1.0, pairs / linear_pairs));
    const auto whole = static_cast<std::uint64_t>(std::min(max_tests, 0x1p62));
    return max_pairs == no_limit ? whole : std::max(whole, max_pairs);
}

template <Real T, int D>
void check_images(const SearchContext<T, D>& context, std::uint64_t max_pairs) {
    const Scene<T, D>& scene = *context.scene;
    const bool one_set = context.queries == nullptr;
    const Scene<T, D>& firsts = one_set ? scene : *context.queries;
    const ImageWalk<T, D> walk(scene.lattice());
    const std::uint64_t all = std::uint64_t{firsts.bodies()} * scene.bodies();
    // A ball against a moving box is by far the most expensive test.
    const bool expensive = (scene.view().swept() || firsts.view().swept()) &&
                           is_box(scene.view()) != is_box(firsts.view());
    std::uint64_t max_tests =
        max_image_tests(one_set ? all / 2 : all, no_limit) / (expensive ? 4 : 1);
    if (max_pairs != no_limit) max_tests = std::max(max_tests, max_pairs);
    const bool count_all = all <= std::uint64_t{1} << 22;  // cheap: the message gives the total
    double sum = 0;
    for (Index i = 0; i < firsts.bodies(); ++i) {
        for (Index j = one_set ? i : 0; j < scene.bodies(); ++j) {
            poll_cancelled(image_range_work);
            sum += walk.work(scene.image_range(firsts, i, j)) + 1;
        }
        if (sum > static_cast<double>(max_tests) && !count_all) break;
    }
    if (sum <= static_cast<double>(max_tests)) return;
    throw Error(Error::Kind::limit,
                "the reach spans so many periods that " +
                    std::string(count_all ? "about " : "more than ") + number_text(sum) +
                    " images of " + std::to_string(scene.bodies()) +
                    " bodies would have to be tested one by one, and " +
                    std::to_string(max_tests) +
                    " are allowed; choose a smaller reach or a larger box, or raise max_pairs");
}

template <Real T, int D>
void search_images(const SearchContext<T, D>& context, Range firsts) {
    const Scene<T, D>& scene = *context.scene;
    const bool one_set = context.one_set();
    const Scene<T, D>& first_scene = context.first_scene();
    BlockWriter<D>& out = *context.writer;
    const ImageWalk<T, D> walk(scene.lattice());
    for (std::size_t f = firsts.begin; f < firsts.end; ++f) {
        const auto i = static_cast<Index>(f);
        const Item<T, D> first(first_scene.view(), i, context.ignore_cutoff);
        for (Index j = one_set ? i : 0; j < scene.bodies(); ++j) {
            poll_cancelled(image_range_work);
            const Item<T, D> second(scene.view(), j, context.ignore_cutoff);
            walk.for_each(scene.image_range(first_scene, i, j), [&](const Shift<D>& n) {
                if (one_set && i == j && n <= Shift<D>{}) return;
                out.count_candidates(1);
                if (!touch<T, D>(first, second, scene.lattice().shift(n),
                                 scene.lattice().drift(n), context.rule, context.moving()))
                    return;
                Image<D> image;
                for (std::size_t a = 0; a < D; ++a) image[a] = static_cast<std::int16_t>(n[a]);
                out.push({i, j}, image);
            });
        }
    }
}

#define VICINAL_INSTANTIATE(T, D)                                          \
    template void check_images(const SearchContext<T, D>&, std::uint64_t); \
    template void search_images(const SearchContext<T, D>&, Range);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
