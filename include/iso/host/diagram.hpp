// The cumulative sum diagram of one chunk, exact, and its lower hull.
//
// Point k of a chunk is P_k = (W_k, S_k), the sums of the first k weights and products on the chunk's grid.
// The vertices of the points' lower hull are where the pools of the chunk's own isotonic fit begin and end.
//
// The hull is reached by rounds of local convexity: a point on or above the chord of its two neighbours is no
// vertex, and all such points of a round go at once, in a loop without branches that depend on the data.
// Noise is thinned to a few points in a few rounds. When a round removes little, the monotone chain finishes
// in time linear in what is left, so that no input is slow. Example: of the points 0 3 2 5 4 (S over W =
// 0..4) the first round removes 3, above the chord 0-2, and 5, above the chord 2-4; the second round finds 0
// 2 4, of which 2 is on the chord 0-4 and goes: a single pool of mean 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <iso/host/doubles.hpp>
#include <iso/numeric/sums.hpp>

namespace iso::host::detail {

// Elements of a chunk: few enough that their points stay in the first-level cache.
inline constexpr int chunk_elements = 1024;

// The points of a chunk whose sums take N and M words, in memory of the caller's.
//
// Coordinates are doubles. Where 53 bits hold the sums they are exact; elsewhere they are close. They decide
// nearly every comparison; the exact sums, formed when first needed, decide the others.
template <class T, bool Weighted, int N, int M>
class diagram {
 public:
  // Bytes that `points` points take.
  static constexpr std::size_t bytes(std::size_t points) {
    return points * ((Weighted ? 2 : 1) * sizeof(double) + sizeof(numeric::integer<N>) +
                     (Weighted ? sizeof(numeric::integer<M>) : 0));
  }

  // The diagram of `count` elements on a grid; w is null without weights.
  diagram(const T* y, const T* w, int count, const numeric::grid& on, void* memory)
      : y_(y), w_(w), count_(count), grid_(on), exponents_(on, count), exact_(exponents_.exact()) {
    const auto points = static_cast<std::size_t>(count) + 1;
    s_ = static_cast<double*>(memory);
    w_at_ = Weighted ? s_ + points : nullptr;
    sums_ = reinterpret_cast<numeric::integer<N>*>(Weighted ? w_at_ + points : s_ + points);
    weights_ = Weighted ? reinterpret_cast<numeric::integer<M>*>(sums_ + points) : nullptr;
    exponents_.moderate() ? place_points() : place_points_scaled();
  }

  // The mean of the elements [a, b), rounded once.
  T mean(int a, int b) const {
    if (exact_) {
      const T r = rounded_once<T>(s_[b] - s_[a], Weighted ? w_at_[b] - w_at_[a] : b - a);
      if (r == r) return r;
    }
    return mean_of_elements<T, Weighted>(y_, w_, a, b, grid_);
  }

  // The vertices of the hull of the points [begin, end], in order; `vertex` holds as many as there are
  // points. Returns how many. Points before `begin` play no part.
  int hull(int begin, int end, int* vertex) {
    int count = candidates(begin, end, vertex);
    for (;;) {
      const int kept = convex_round(vertex, count);
      const int gone = count - kept;
      count = kept;
      if (gone == 0) return count;
      if (gone * 8 < count) return chain(vertex, count);
    }
  }

 private:
  // Writes to `point` the points of [begin, end] among which the vertices are, both ends included, and
  // returns how many. Of points that coincide, those on either side of an element of weight 0, only the last
  // is written.
  int candidates(int begin, int end, int* point) const {
    int count = 0, k = begin + 1;
    point[count++] = begin;
    if constexpr (Weighted) {
      for (; k < end; ++k) {
        point[count] = k;
        count += numeric::format<T>::size_bits(w_[k]) != 0;
      }
    } else {
      // A first round, against the chords of the points one and four elements away, which is cheap.
      for (; k < end && k - 4 < begin; ++k) point[count++] = k;
      for (; k + 4 <= end; ++k) {
        point[count] = k;
        count += (std::max)(bend(k, 1), bend(k, 4)) < least_bend_;
      }
      for (; k < end; ++k) point[count++] = k;
    }
    point[count++] = end;
    return count;
  }

  // How much the slope falls at point k between the points `gap` elements away; from `least_bend_` on, k is
  // certainly on or above their chord.
  double bend(int k, int gap) const { return (s_[k] - s_[k - gap]) - (s_[k + gap] - s_[k]); }

  // Whether point t is on or above the chord of points u < t < q: then it is no vertex.
  bool above_chord(int u, int t, int q) {
    const double ds1 = s_[t] - s_[u], ds2 = s_[q] - s_[t];
    double dw1 = t - u, dw2 = q - t, error;
    if constexpr (Weighted) {
      dw1 = w_at_[t] - w_at_[u], dw2 = w_at_[q] - w_at_[t];
      error = s_error_ * (dw1 + dw2) + w_error_ * (std::abs(ds1) + std::abs(ds2));
    } else {
      error = s_error_ * (dw1 + dw2);
    }
    const double cross = ds1 * dw2 - ds2 * dw1;
    if (!(std::abs(cross) > error)) [[unlikely]]
      return exactly_above(u, t, q);
    return cross > 0;
  }

  bool exactly_above(int u, int t, int q) {
    if (s_error_ == 0) return true;  // the cross product is exact, and zero
    if (exact_) {
      const int unit = exponents_.products.unit;
      return numeric::mean_not_less(in_units<1>(s_[t] - s_[u], unit), weight<1>(u, t),
                                    in_units<1>(s_[q] - s_[t], unit), weight<1>(t, q));
    }
    if (!summed_) sum_exactly();
    if constexpr (Weighted) {
      return numeric::mean_not_less(sums_[t] - sums_[u], weights_[t] - weights_[u], sums_[q] - sums_[t],
                                    weights_[q] - weights_[t]);
    } else {
      return numeric::mean_not_less(sums_[t] - sums_[u], weight<1>(u, t), sums_[q] - sums_[t],
                                    weight<1>(t, q));
    }
  }

  // The weight of the elements [a, b), where coordinates are exact.
  template <int W>
  numeric::integer<W> weight(int a, int b) const {
    if constexpr (Weighted) {
      return in_units<W>(w_at_[b] - w_at_[a], exponents_.weights.unit);
    } else {
      return numeric::integer<W>::from(b - a);
    }
  }

  // One round: drops every point above the chord of its neighbours in the list as it was.
  int convex_round(int* point, int count) {
    int kept = 1, u = point[0], t = point[1];
    for (int j = 1; j + 1 < count; ++j) {
      const int q = point[j + 1];
      point[kept] = t;
      kept += above_chord(u, t, q) ? 0 : 1;
      u = t;
      t = q;
    }
    point[kept++] = t;
    return kept;
  }

  // The monotone chain.
  int chain(int* point, int count) {
    int top = 0;
    for (int j = 1; j < count; ++j) {
      const int q = point[j];
      while (top > 0 && above_chord(point[top - 1], point[top], q)) --top;
      point[++top] = q;
    }
    return top + 1;
  }

  // Coordinates, and how far they and what is computed from them may err. In multiples of 2^top, which the
  // sizes of all terms together stay below: at most 1027 additions lead to a coordinate, so it is within 1.1
  // * 2^-43, a difference of two within 2.2 * 2^-43, the bend within 4.5 * 2^-43, and the cross product
  // within 2.3 * 2^-43 * (dw1 + dw2), and the same of ds where the weights are not exact either. Where
  // coordinates and their differences are exact, only the products round, by less than 2^-51 * (dw1 + dw2)
  // together; and not even they where 53 bits hold a sum of products times one of weights.
  void place_points() {
    prefix_sums(s_, count_, [this](int k) { return product<T, Weighted>(y_, w_, k); });
    if constexpr (Weighted) prefix_sums(w_at_, count_, [this](int k) { return static_cast<double>(w_[k]); });
    const double s_size = numeric::power_of_two(exponents_.products.top);
    if (!exact_) {
      s_error_ = 0x1p-41 * s_size;
      w_error_ = Weighted ? 0x1p-41 * numeric::power_of_two(exponents_.weights.top) : 0;
      least_bend_ = 2 * s_error_;
    } else if (exponents_.products.bits() + exponents_.weights.bits() > 53) {
      s_error_ = 0x1p-50 * s_size;
    }
  }
  static_assert(chunk_elements <= 1024);

  // The same where exponents are extreme: from the exact sums, scaled to at most 1, each within 2^-52.
  void place_points_scaled() {
    sum_exactly();
    const int carry = exponents_.carry;
    for (int k = 0; k <= count_; ++k) {
      s_[k] = numeric::approximate(sums_[k], grid_.products.bits() + carry);
      if constexpr (Weighted) w_at_[k] = numeric::approximate(weights_[k], grid_.weights.bits() + carry);
    }
    s_error_ = w_error_ = least_bend_ = 0x1p-48;
  }

  void sum_exactly() {
    auto sum = numeric::sums<N, M>::zero();
    for (int k = 0;; ++k) {
      sums_[k] = sum.s;
      if constexpr (Weighted) weights_[k] = sum.w;
      if (k == count_) break;
      numeric::add_element<T, Weighted>(sum, y_, w_, k, grid_);
    }
    summed_ = true;
  }

  const T* y_;
  const T* w_;
  int count_;
  numeric::grid grid_;
  grid_exponents<T, Weighted> exponents_;
  bool exact_;  // the coordinates are
  bool summed_ = false;
  double s_error_ = 0, w_error_ = 0;
  double least_bend_ = 0;
  double* s_;                  // S_k
  double* w_at_;               // W_k; without weights it is k
  numeric::integer<N>* sums_;  // S_k and W_k once more, exactly
  numeric::integer<M>* weights_;
};

}  // namespace iso::host::detail
