// Numbers that count elements are 64 bits wide in every public type: rows, lengths and their products go
// beyond 2^32.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <iso/host.hpp>

namespace {

template <class T>
constexpr bool batch_is_wide = std::same_as<decltype(iso::batch<T>::rows), std::int64_t>&&
    std::same_as<decltype(iso::batch<T>::length), std::int64_t>&&
        std::same_as<decltype(iso::batch<T>::row_stride), std::int64_t>&&
            std::same_as<decltype(iso::batch<T>::stride), std::int64_t>&& std::constructible_from<
                iso::batch<T>, T*, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

static_assert(batch_is_wide<float> && batch_is_wide<const float>);
static_assert(batch_is_wide<double> && batch_is_wide<const double>);

static_assert(std::same_as<decltype(iso::shape::rows), std::int64_t>);
static_assert(std::same_as<decltype(iso::shape::length), std::int64_t>);

// A batch of 2^20 rows of 2^20 elements, in words of its pools.
static_assert(iso::pool_words(std::int64_t{1} << 40) == std::int64_t{1} << 35);
static_assert(iso::pool_words(std::int64_t{5}, std::int64_t{1} << 40, std::int64_t{1} << 20) ==
              (std::int64_t{1} << 35) + (std::int64_t{1} << 20));
static_assert(std::same_as<decltype(iso::pool_words(0)), std::int64_t>);

// One byte a row and one bit an element is all that the optional outputs take.
static_assert(sizeof(iso::row_status) == 1);

}  // namespace
