// Lists of points with sums in numbers of twice the digits: cheap rounds of local convexity, and cheap means,
// for elements whose exact sums take many words. What is not certain is left to the integers.
//
// Let n be the elements, u what an addition rounds by (see twofold.cuh), and A and V bounds of all sums of
// |w y| and of w: n times what the grid's highest position stands for. A point's sums come of at most 31
// additions of elements, six of lanes and a subtraction, and a pool's are the difference of two points': S is
// off by less than 160 u A, and W by less than 160 u V. So of two pools side by side
//
//   - d = S1 W2 - S2 W1, formed in double from leading halves, is off by less than
//     160 u (A (W1 + W2) + V (|S1| + |S2|)) + (160 u)^2 A V, and by what rounding in double does, which is
//     less than 2^-49 (|S1 W2| + |S2 W1|). Where |d| is greater than a bound of all that its sign is certain.
//   - the mean S / W is off by less than twice (160 u A + 160 u V |S / W|) / W, or that is more than half of
//     it, and then nothing is certain.
//
// 512 u takes the place of 160 u, so that the margins' own rounding does not count. Units are bounded so that
// nothing leaves the normal numbers: no product of a sum and a weight, and no margin.
//
// Example: of doubles of about 1 with weights of about 1, a thousand of them, n u is 2^-92: means differ
// certainly if they differ by more than 2^-49, be they of 2 elements or of 500, and a mean is certain if it
// is not nearer than 2^-80 to a midpoint of two doubles.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/weighted_pool.cuh>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/warp/convex_rounds.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Whether tiles of such elements, P a lane, are tried so. Those of a few elements a lane are rows that lanes
// have found uncertain, or are soon summed up.
template <class T, bool Weighted, int P>
inline constexpr bool tries_twofold = Weighted&& numeric::format<T>::digits == 53 && P >= 8;

// What one lane gets of another's sums.
template <class Shuffle>
ISO_DEVICE twofold<double> shuffled(const twofold<double>& of, Shuffle&& shuffle) {
  using f = numeric::format<double>;
  return {f::from_bits(shuffle(f::to_bits(of.high))), f::from_bits(shuffle(f::to_bits(of.low)))};
}
template <class T, class Shuffle>
ISO_DEVICE weighted_pool<T> shuffled(const weighted_pool<T>& of, Shuffle&& shuffle) {
  return {shuffled(of.s, shuffle), shuffled(of.w, shuffle)};
}

template <class T>
struct twofold_list : point_list<weighted_pool<T>, true> {
  using points = point_list<weighted_pool<T>, true>;
  using entry = typename points::entry;
  static constexpr bool exact = false;

  double s_margin, w_margin;  // of all sums: 512 u A and 512 u V

  // A list of points of a tile of up to `elements` elements on such a grid, in some words of memory. Its
  // capacity is 0 if numbers might leave the normal ones.
  ISO_HOST_DEVICE static twofold_list in(std::uint64_t* words, int count, const numeric::grid& on,
                                         int elements) {
    twofold_list list{points::in(words, count), 0, 0};
    constexpr int zero = -numeric::format<T>::min_exponent, reach = 400;
    const bool usual = on.products.low >= 2 * zero - reach && on.products.high <= 2 * zero + reach &&
                       on.weights.low >= zero - reach && on.weights.high <= zero + reach;
    if (!usual) list.capacity = 0;
    const double margin = 512 * twofold<T>::rounding * elements;
    const auto highest = [&](int position) { return numeric::power_of_two(usual ? position : 0); };
    list.s_margin =
        margin * highest((on.products.empty() ? on.weights.high + zero : on.products.high) - 2 * zero);
    list.w_margin = margin * highest(on.weights.high - zero);
    return list;
  }

  ISO_HOST_DEVICE static entry zero() { return entry::none(); }
  template <class Elements>
  ISO_HOST_DEVICE static void add(entry& to, const Elements& e, int i, const numeric::grid&) {
    to += weighted_pool<T>::of(e.y[e.at(i)], e.w[e.at(i)]);
  }

  // Whether a point certainly goes: the mean of the pool before it is not less than that after it.
  ISO_HOST_DEVICE bool is_concave(const entry& left, int, const entry& middle, int, const entry& right,
                                  int) const {
    const double s1 = leading_difference(middle.s, left.s), w1 = leading_difference(middle.w, left.w);
    const double s2 = leading_difference(right.s, middle.s), w2 = leading_difference(right.w, middle.w);
    const double p = s1 * w2, q = s2 * w1;
    const double margin = (std::fabs(p) + std::fabs(q)) * 0x1p-49 + s_margin * (w1 + w2 + w_margin) +
                          w_margin * (std::fabs(s1) + std::fabs(s2));
    return p - q > margin;
  }

  // The mean of the pool from point j to the next; if it is not certain, `certain` is cleared.
  template <class View>
  ISO_HOST_DEVICE T mean(const View& v, int j, bool& certain) const {
    const int begin = this->element[j];
    const entry sum = this->pool(j);
    T mean = v.e.y[v.e.at(begin)];
    if (this->element[j + 1] > begin + 1) {
      const double inverse = near_inverse(sum.w.leading());
      const double size = std::fabs(sum.s.leading()) * inverse;
      const double absolute = 2 * (s_margin + size * w_margin) * std::fabs(inverse);
      mean = mean_of_pool(sum, weighted_margins{false, 0, 0, absolute, 8 * twofold<T>::rounding}, certain);
    }
    return mean == T(0) ? T(0) : mean;
  }

 private:
  // Near a - b: to within 2^-51 of that, and to within rounding of the larger.
  ISO_HOST_DEVICE static double leading_difference(const twofold<T>& a, const twofold<T>& b) {
    return (a.high - b.high) + (a.low - b.low);
  }
};

// Thins the masks of a tile's lanes out by what is certain. All lanes of the tile call.
template <warp_tile Tile, class View, class T>
ISO_DEVICE void thin_certainly(const Tile& tile, const View& v, int lane, const twofold_list<T>& list) {
  const int points = list_points(tile, v, lane, v.mask[lane], list);
  if (points > 0) convex_rounds(tile, v, lane, list, points);
}

}  // namespace iso
