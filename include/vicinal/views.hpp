// Views of the caller's arrays: a pointer, a stride and a count per column. Nothing is copied,
// so the arrays must outlive every use of the view; a temporary container does not compile.
//
//     vicinal::vectors<3>(xyz)  // x0 y0 z0 x1 ...; vector<array<T, 3>>; Eigen::Matrix3Xd
//     vicinal::vectors<3>(particles, &Particle::position)
//     vicinal::separate(x, y, z)                      // one array per axis
//     vicinal::column(particles, &Particle::group)
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include <vicinal/error.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

namespace detail {

template <class R>
using Bare = std::remove_cvref_t<R>;

// Matrices, maps and blocks of Eigen, recognised by their members: Eigen is not needed here.
template <class M>
concept EigenMatrix = requires(const Bare<M>& m) {
    typename Bare<M>::Scalar;
    typename Bare<M>::PlainObject;
    { m.data() } -> std::convertible_to<const typename Bare<M>::Scalar*>;
    {
        m.rowStride() + m.colStride() + m.rows() + m.cols()
    } -> std::convertible_to<std::ptrdiff_t>;
    { int{Bare<M>::RowsAtCompileTime} + int{Bare<M>::ColsAtCompileTime} };
};

template <class R>
constexpr bool owns_elements() {
    if constexpr (EigenMatrix<R>)
        return std::same_as<Bare<R>, typename Bare<R>::PlainObject>;
    else if constexpr (std::ranges::range<R>)
        return !std::ranges::borrowed_range<R>;
    else
        return false;
}

// A container that dies at the end of the statement: a view of it would dangle.
template <class R>
concept TemporaryContainer = !std::is_lvalue_reference_v<R> && owns_elements<R>();

template <class R>
constexpr bool is_eigen_vector() {
    if constexpr (EigenMatrix<R>)
        return int{Bare<R>::RowsAtCompileTime} == 1 || int{Bare<R>::ColsAtCompileTime} == 1;
    else
        return false;
}

// The type of the elements of a contiguous range or of an Eigen vector, else void.
template <class R>
constexpr auto element_type() {
    if constexpr (is_eigen_vector<R>())
        return std::type_identity<typename Bare<R>::Scalar>{};
    else if constexpr (std::ranges::contiguous_range<R> && !EigenMatrix<R>)
        return std::type_identity<std::ranges::range_value_t<R>>{};
    else
        return std::type_identity<void>{};
}
template <class R>
using Element = typename decltype(element_type<R>())::type;

}  // namespace detail

// One value per body, `stride` bytes apart. Null means "not given".
template <class T>
struct Column {
    const T* data = nullptr;
    std::ptrdiff_t stride = sizeof(T);
    std::size_t count = 0;

    Column() = default;
    Column(const T* first, std::size_t size, std::ptrdiff_t stride_bytes = sizeof(T))
        : data(first), stride(stride_bytes), count(size) {}
    template <class R>
        requires(!detail::TemporaryContainer<R> && std::same_as<detail::Element<R>, T>)
    Column(R&& range) {
        if constexpr (detail::EigenMatrix<R>) {
            *this = Column(range.data(), static_cast<std::size_t>(range.size()),
                           range.innerStride() * std::ptrdiff_t{sizeof(T)});
        } else {
            *this = Column(std::ranges::data(range), std::ranges::size(range));
        }
    }
    template <detail::TemporaryContainer R>
    Column(R&&) = delete;  // a view of a temporary would dangle: give the container a name

    bool given() const { return data != nullptr || count > 0; }
    const T& operator[](std::size_t i) const {
        const auto* bytes = reinterpret_cast<const std::byte*>(data);
        return *reinterpret_cast<const T*>(bytes + static_cast<std::ptrdiff_t>(i) * stride);
    }
};

// The radii of spheres: one for each, or one for all, which the view holds itself.
template <Real T>
class Radii {
  public:
    Radii() = default;
    Radii(const Column<T>& each) : each_(each), count_(each.count) {}
    Radii(T all, std::size_t spheres) : all_(all), count_(spheres), equal_(true) {}

    const T& operator[](std::size_t i) const { return equal_ ? all_ : each_[i]; }
    std::size_t count() const { return count_; }
    bool equal() const { return equal_; }            // one for all
    const Column<T>& each() const { return each_; }  // otherwise
    // Those of spheres begin ... begin + spheres - 1.
    Radii slice(std::size_t begin, std::size_t spheres) const {
        if (equal_) return Radii(all_, spheres);
        return spheres == 0 ? Radii() : Radii(Column<T>(&each_[begin], spheres, each_.stride));
    }

  private:
    Column<T> each_;
    T all_ = 0;
    std::size_t count_ = 0;
    bool equal_ = false;
};

// A whole number for each body, of any integer type.
class Integers {
  public:
    Integers() = default;
    template <std::integral I>
    Integers(const Column<I>& column)
        : data_(reinterpret_cast<const std::byte*>(column.data)),
          stride_(column.stride),
          count_(column.count),
          read_([](const void* at) {
              return static_cast<std::int64_t>(*static_cast<const I*>(at));
          }) {}
    template <class R>
        requires(!detail::TemporaryContainer<R> && std::integral<detail::Element<R>>)
    Integers(R&& range) : Integers(Column<detail::Element<R>>(range)) {}
    template <detail::TemporaryContainer R>
    Integers(R&&) = delete;  // a view of a temporary would dangle: give the container a name

    bool given() const { return data_ != nullptr || count_ > 0; }
    bool null() const { return data_ == nullptr; }
    std::size_t count() const { return count_; }
    std::int64_t operator[](std::size_t i) const {
        return read_(data_ + static_cast<std::ptrdiff_t>(i) * stride_);
    }
    Integers slice(std::size_t begin, std::size_t count) const {
        Integers result = *this;
        if (data_ != nullptr) result.data_ += static_cast<std::ptrdiff_t>(begin) * stride_;
        result.count_ = data_ != nullptr ? count : 0;
        return result;
    }

  private:
    const std::byte* data_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    std::size_t count_ = 0;
    std::int64_t (*read_)(const void*) = nullptr;
};

// One vector per body: a strided column per axis. This covers interleaved arrays, arrays of
// structs and structures of arrays.
template <Real T, int D>
struct Vectors {
    std::array<Column<T>, D> axis{};

    std::size_t size() const { return axis[0].count; }
    bool given() const { return axis[0].given(); }
    T operator()(std::size_t i, int a) const { return axis[static_cast<std::size_t>(a)][i]; }
};

namespace detail {

// An element that holds its components by index, or as members x, y and z.
template <class V>
concept Indexed = requires(const V& v) {
    requires Real<Bare<decltype(v[std::size_t{0}])>>;
    requires std::is_lvalue_reference_v<decltype(v[std::size_t{0}])>;
};
template <class V, int D>
concept Named = requires(const V& v) {
    requires Real<Bare<decltype(v.x)>>;
    requires std::same_as<decltype(v.x), decltype(v.y)>;
    requires D == 2 || requires { requires std::same_as<decltype(v.x), decltype(v.z)>; };
};

// A pointer, a view, or a container with memory of its own, such as std::vector, holds its
// components elsewhere, not at a constant distance between elements.
template <class V>
constexpr bool holds_components_inside() {
    if constexpr (EigenMatrix<V>)
        return int{V::SizeAtCompileTime} > 0;
    else if constexpr (std::ranges::borrowed_range<V>)
        return false;
    else
        return !std::is_pointer_v<V> && std::is_trivially_destructible_v<V>;
}

template <int D, class V>
    requires(Indexed<V> || Named<V, D>)
const auto* component(const V& v, std::size_t a) {
    if constexpr (Indexed<V>)
        return &v[a];
    else if constexpr (D == 2)
        return a == 0 ? &v.x : &v.y;
    else
        return a == 0 ? &v.x : a == 1 ? &v.y : &v.z;
}

// `count` vectors, the first of which is `*first`, `stride` bytes apart.
template <int D, class V>
auto vectors_from(const V* first, std::size_t count, std::size_t stride) {
    static_assert(Indexed<V> || Named<V, D>,
                  "an element must be a float or double, or hold D of them: a std::array, a C "
                  "array, an Eigen vector, or a struct with members x, y (and z); if it is a "
                  "larger struct, name the member: points<3>(particles, &Particle::position, "
                  "cutoff)");
    if constexpr (Indexed<V> || Named<V, D>) {
        using T = std::remove_cvref_t<decltype(*component<D>(*first, 0))>;
        static_assert(
            (!Indexed<V> || holds_components_inside<V>()) && sizeof(V) >= D * sizeof(T),
            "an element must hold all D components itself, such as std::array; a "
            "std::vector, a span or a pointer holds them elsewhere");
        Vectors<T, D> result;
        for (std::size_t a = 0; a < D; ++a)
            result.axis[a] = Column<T>(count > 0 ? component<D>(*first, a) : nullptr, count,
                                       static_cast<std::ptrdiff_t>(stride));
        return result;
    }
}

// x0 y0 z0 x1 ...
template <int D, Real T>
Vectors<T, D> interleaved(const Column<T>& numbers) {
    if (numbers.count % D != 0)
        throw Error(Error::Kind::input, "an interleaved array of " +
                                            std::to_string(numbers.count) +
                                            " numbers does not hold whole vectors of " +
                                            std::to_string(D) + "; give D numbers per body");
    Vectors<T, D> result;
    for (std::size_t a = 0; a < D; ++a)
        result.axis[a] = Column<T>(numbers.count > 0 ? &numbers[a] : nullptr, numbers.count / D,
                                   D * numbers.stride);
    return result;
}

// A column per vector (the usual 3 x N), or a row per vector (N x 3).
template <int D, EigenMatrix M>
auto vectors_of_matrix(const M& matrix) {
    using T = typename Bare<M>::Scalar;
    constexpr bool columns = int{M::RowsAtCompileTime} == D,
                   rows = int{M::ColsAtCompileTime} == D;
    static_assert(columns || rows,
                  "a matrix of positions must have D rows or D columns at compile time: "
                  "Eigen::Matrix3Xd or Eigen::MatrixX3d; of another matrix give a map or "
                  "topRows<D>()");
    Vectors<T, D> result;
    if constexpr (columns || rows) {
        const auto count = static_cast<std::size_t>(columns ? matrix.cols() : matrix.rows());
        const std::ptrdiff_t between = columns ? matrix.colStride() : matrix.rowStride(),
                             along = columns ? matrix.rowStride() : matrix.colStride();
        for (std::size_t a = 0; a < D; ++a)
            result.axis[a] = Column<T>(
                count > 0 ? matrix.data() + static_cast<std::ptrdiff_t>(a) * along : nullptr,
                count, between * std::ptrdiff_t{sizeof(T)});
    }
    return result;
}

template <int D, class R>
auto vectors_of(const R& range) {
    if constexpr (EigenMatrix<R>) {
        if constexpr (is_eigen_vector<R>() && int{R::SizeAtCompileTime} != D)
            return interleaved<D>(Column<typename R::Scalar>(range));
        else
            return vectors_of_matrix<D>(range);
    } else {
        static_assert(
            std::ranges::contiguous_range<R>,
            "vectors must be contiguous in memory: a std::vector, std::array or "
            "std::span, a C array, an Eigen matrix, or vicinal::separate(x, y, z); of a "
            "pointer give std::span(pointer, count)");
        if constexpr (std::ranges::contiguous_range<R>) {
            using V = std::ranges::range_value_t<R>;
            const std::size_t size = std::ranges::size(range);
            if constexpr (Real<V>)
                return interleaved<D>(Column<V>(std::ranges::data(range), size));
            else
                return vectors_from<D>(std::ranges::data(range), size, sizeof(V));
        }
    }
}
template <int D, Real T>
Vectors<T, D> vectors_of(const Vectors<T, D>& given) {
    return given;
}

}  // namespace detail

// The vectors of any contiguous range: interleaved scalars, or elements with D components, by
// index (std::array<T, D>, Eigen vectors) or as members x, y and z; or of an Eigen matrix with
// D rows or D columns.
template <int D, class R>
    requires(!detail::TemporaryContainer<R>)
auto vectors(R&& range) {
    return detail::vectors_of<D>(range);
}
template <int D, detail::TemporaryContainer R>
void vectors(R&&) = delete;  // a view of a temporary would dangle: give the container a name

// The vectors that are a member of each body.
template <int D, class R, class M, class C>
    requires(!detail::TemporaryContainer<R>)
auto vectors(R&& bodies, M C::* member) {
    const std::size_t size = std::ranges::size(bodies);
    return detail::vectors_from<D>(size > 0 ? &(std::ranges::data(bodies)->*member) : nullptr,
                                   size, sizeof(std::ranges::range_value_t<R>));
}
template <int D, detail::TemporaryContainer R, class M, class C>
void vectors(R&&, M C::*) = delete;  // a view of a temporary would dangle

// A scalar member of each body.
template <class R, class M, class C>
    requires(!detail::TemporaryContainer<R>)
Column<std::remove_cv_t<M>> column(R&& bodies, M C::* member) {
    const std::size_t size = std::ranges::size(bodies);
    return {size > 0 ? &(std::ranges::data(bodies)->*member) : nullptr, size,
            sizeof(std::ranges::range_value_t<R>)};
}
template <detail::TemporaryContainer R, class M, class C>
void column(R&&, M C::*) = delete;  // a view of a temporary would dangle

// Vectors from one array per axis.
template <class First, class... R>
    requires(!detail::TemporaryContainer<First> && ... && !detail::TemporaryContainer<R>)
auto separate(First&& first, R&&... others) {
    using T = detail::Element<First>;
    static_assert(Real<T> && (std::same_as<T, detail::Element<R>> && ...),
                  "the arrays of the axes must be contiguous and all float or all double");
    Vectors<T, sizeof...(R) + 1> result;
    std::size_t a = 0;
    result.axis[a++] = Column<T>(first);
    ((result.axis[a++] = Column<T>(others)), ...);
    return result;
}
template <class... R>
    requires(detail::TemporaryContainer<R> || ...)
void separate(R&&...) = delete;  // a view of a temporary would dangle

}  // namespace vicinal::inline VICINAL_API
