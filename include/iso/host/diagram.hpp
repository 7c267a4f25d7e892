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

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <iso/numeric/sums.hpp>

namespace iso::host {

// Elements of a chunk: their points fit the first-level cache in the narrow case, and cumulative sums of
// float32 noise one word.
inline constexpr int chunk_elements = 1024;

// The points of a chunk whose sums take N and M words, in memory of the caller's.
//
// Coordinates are exact where the products' sums take one word. Elsewhere they are doubles, scaled to at most
// 1: they decide nearly every comparison, and the exact sums, formed when first needed, decide the others.
template <class T, bool Weighted, int N, int M>
class diagram {
 public:
  static constexpr bool exact = N == 1;
  using coordinate = std::conditional_t<exact, std::int64_t, double>;

  // Bytes that `points` points take.
  static constexpr std::size_t bytes(std::size_t points) {
    const std::size_t coordinates = (Weighted ? 2 : 1) * sizeof(coordinate);
    const std::size_t sums = sizeof(numeric::integer<N>) + (Weighted ? sizeof(numeric::integer<M>) : 0);
    return points * (exact ? coordinates : coordinates + sums);
  }

  // The diagram of `count` elements on a grid; w is null without weights.
  diagram(const T* y, const T* w, int count, const numeric::grid& on, void* memory)
      : y_(y), w_(w), count_(count), grid_(on) {
    const auto points = static_cast<std::size_t>(count) + 1;
    s_ = static_cast<coordinate*>(memory);
    w_at_ = s_ + points;
    if constexpr (exact) {
      auto sum = numeric::sums<N, M>::zero();
      for (int k = 0; k < count; ++k) {
        s_[k] = static_cast<std::int64_t>(sum.s.word[0]);
        numeric::add_element<T, Weighted>(sum, y, w, k, on);
      }
      s_[count] = static_cast<std::int64_t>(sum.s.word[0]);
    } else {
      sums_ = reinterpret_cast<numeric::integer<N>*>(Weighted ? w_at_ + points : w_at_);
      if constexpr (Weighted) weights_ = reinterpret_cast<numeric::integer<M>*>(sums_ + points);
      approximate();
    }
  }

  // Sums of the elements [a, b).
  numeric::sums<N, M> between(int a, int b) const {
    if constexpr (exact) {
      return {numeric::integer<N>::from(s_[b] - s_[a]), numeric::integer<M>::from(b - a)};
    } else {
      return numeric::sum_elements<T, Weighted, N, M>(y_, w_, a, b, grid_);
    }
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
  static_assert(!exact || !Weighted, "sums of products of one word are not used with weights");

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
        count += static_cast<int>(!above_middle(k, 1)) & static_cast<int>(!above_middle(k, 4));
      }
      for (; k < end; ++k) point[count++] = k;
    }
    point[count++] = end;
    return count;
  }

  // Whether point t is certainly on or above the chord of t - gap and t + gap.
  bool above_middle(int t, int gap) const {
    const coordinate bend = (s_[t] - s_[t - gap]) - (s_[t + gap] - s_[t]);
    if constexpr (exact) {
      return bend >= 0;
    } else {
      return bend > 2 * tolerance;
    }
  }

  // Whether point t is on or above the chord of points u < t < q: then it is no vertex.
  bool above_chord(int u, int t, int q) {
    const coordinate ds1 = s_[t] - s_[u], ds2 = s_[q] - s_[t];
    coordinate dw1 = t - u, dw2 = q - t;
    if constexpr (exact) {
      return ds1 * dw2 >= ds2 * dw1;
    } else {
      double scale = dw1 + dw2;
      if constexpr (Weighted) {
        dw1 = w_at_[t] - w_at_[u], dw2 = w_at_[q] - w_at_[t];
        scale = dw1 + dw2 + std::abs(ds1) + std::abs(ds2);
      }
      const double cross = ds1 * dw2 - ds2 * dw1;
      if (!(std::abs(cross) > tolerance * scale)) [[unlikely]]
        return exactly_above(u, t, q);
      return cross > 0;
    }
  }

  bool exactly_above(int u, int t, int q) {
    if (!summed_) sum_exactly();
    const auto weight = [&](int a, int b) {
      if constexpr (Weighted) {
        return weights_[b] - weights_[a];
      } else {
        return numeric::integer<M>::from(b - a);
      }
    };
    return numeric::mean_not_less(sums_[t] - sums_[u], weight(u, t), sums_[q] - sums_[t], weight(t, q));
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

  // Doubles as coordinates. Terms are scaled so that their sizes sum to at most 1; then each of up to 1024
  // additions errs by 2^-53 at most, a coordinate by little more than 2^-43, a difference of two by less
  // than 2.2 * 2^-43. In a cross product ds1 * dw2 - ds2 * dw1 that makes less than 2.3 * 2^-43 * (|ds1| +
  // |ds2| + dw1 + dw2), and the sizes of ds do not enter where the dw are exact counts.
  static constexpr double tolerance = 0x1p-41;
  static_assert(chunk_elements <= 1024);

  void approximate() {
    // Exponents of the units of products and of weights, of their scaled sums, and whether double takes them
    // all.
    constexpr int unit = numeric::format<T>::min_exponent;
    const int carry = numeric::bit_length(static_cast<std::uint64_t>(count_));
    const auto fits = [](const numeric::range& r, int exponent) {
      return r.empty() || (r.low + exponent > -1000 && r.high + exponent < 1000 - 64);
    };
    if (!fits(grid_.products, Weighted ? 2 * unit : unit) || (Weighted && !fits(grid_.weights, unit))) {
      return approximate_sums(carry);
    }
    const auto down = [carry](const numeric::range& r, int exponent) {
      return r.empty() ? 1.0 : numeric::power_of_two(-(r.high + exponent + carry));
    };
    const double s_down = down(grid_.products, Weighted ? 2 * unit : unit);
    const double w_down = Weighted ? down(grid_.weights, unit) : 1.0;
    double s = 0, weight = 0;
    for (int k = 0;; ++k) {
      s_[k] = s;
      if constexpr (Weighted) w_at_[k] = weight;
      if (k == count_) break;
      const double y = static_cast<double>(y_[k]);
      if constexpr (Weighted) {
        const double w = static_cast<double>(w_[k]);
        weight += w * w_down;
        s += w != 0 ? y * w * s_down : 0;
      } else {
        s += y * s_down;
      }
    }
  }

  // The same where exponents are extreme.
  void approximate_sums(int carry) {
    sum_exactly();
    for (int k = 0; k <= count_; ++k) {
      s_[k] = numeric::approximate(sums_[k], grid_.products.bits() + carry);
      if constexpr (Weighted) w_at_[k] = numeric::approximate(weights_[k], grid_.weights.bits() + carry);
    }
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
  bool summed_ = false;
  coordinate* s_;                        // S_k
  coordinate* w_at_;                     // W_k; without weights it is k
  numeric::integer<N>* sums_ = nullptr;  // S_k and W_k once more, exactly
  numeric::integer<M>* weights_ = nullptr;
};

}  // namespace iso::host
