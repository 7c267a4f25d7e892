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

#include <cstddef>
#include <cstdint>

#include <iso/numeric/sums.hpp>

namespace iso::host {

// Elements of a chunk: their points fit the first-level cache in the narrow case, and cumulative sums of
// float32 noise one word.
inline constexpr int chunk_elements = 1024;

// The points of a chunk with sums of N and M words, in memory of the caller's. Where a sum takes more than
// one word, each point is kept as doubles too: they decide most comparisons, and the exact sums those they
// cannot.
template <class T, bool Weighted, int N, int M>
class diagram {
 public:
  static constexpr bool approximated = N > 1;

  // Bytes that `points` points take.
  static constexpr std::size_t bytes(std::size_t points) {
    return points * (sizeof(numeric::integer<N>) + (Weighted ? sizeof(numeric::integer<M>) : 0) +
                     (approximated ? (Weighted ? 2 : 1) * sizeof(double) : 0));
  }

  // The diagram of `count` elements on a grid; w is null without weights.
  diagram(const T* y, const T* w, int count, const numeric::grid& on, void* memory)
      : count_(count), grid_(on) {
    const auto points = static_cast<std::size_t>(count) + 1;
    s_ = static_cast<numeric::integer<N>*>(memory);
    auto* next = reinterpret_cast<std::byte*>(s_ + points);
    if constexpr (Weighted) {
      w_ = reinterpret_cast<numeric::integer<M>*>(next);
      next = reinterpret_cast<std::byte*>(w_ + points);
    }
    if constexpr (approximated) {
      s_near_ = reinterpret_cast<double*>(next);
      w_near_ = s_near_ + points;  // without weights not used
    }
    auto sum = numeric::sums<N, M>::zero();
    for (int k = 0;; ++k) {
      s_[k] = sum.s;
      if constexpr (Weighted) w_[k] = sum.w;
      if (k == count) break;
      numeric::add_element<T, Weighted>(sum, y, w, k, on);
    }
  }

  // Sums of the elements [a, b).
  numeric::sums<N, M> between(int a, int b) const { return {s_[b] - s_[a], weight(a, b)}; }

  // The vertices of the hull of the points [begin, end], in order; `vertex` holds as many as there are
  // points. Returns how many. Points before `begin` play no part.
  int hull(int begin, int end, int* vertex) {
    if constexpr (approximated) approximate();
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
  std::int64_t s(int k) const { return static_cast<std::int64_t>(s_[k].word[0]); }

  numeric::integer<M> weight(int a, int b) const {
    if constexpr (Weighted) {
      return w_[b] - w_[a];
    } else {
      return numeric::integer<M>::from(b - a);
    }
  }

  // The points as doubles: scaled to at most 1, each within 2^-52.
  void approximate() {
    const int carry = numeric::bit_length(static_cast<std::uint64_t>(count_));
    const int s_scale = grid_.products.bits() + carry, w_scale = grid_.weights.bits() + carry;
    for (int k = 0; k <= count_; ++k) {
      s_near_[k] = numeric::approximate(s_[k], s_scale);
      if constexpr (Weighted) w_near_[k] = numeric::approximate(w_[k], w_scale);
    }
  }

  // Whether point t is on or above the chord of points u < t < q: then it is no vertex.
  bool above_chord(int u, int t, int q) const {
    if constexpr (!approximated) {
      return left_minus_right(u, t, q) >= 0;
    } else {
      const double ds1 = s_near_[t] - s_near_[u], ds2 = s_near_[q] - s_near_[t];
      double dw1 = t - u, dw2 = q - t;
      double error = dw1 + dw2;
      if constexpr (Weighted) {
        dw1 = w_near_[t] - w_near_[u], dw2 = w_near_[q] - w_near_[t];
        error = dw1 + dw2 + (ds1 < 0 ? -ds1 : ds1) + (ds2 < 0 ? -ds2 : ds2);
      }
      // Coordinates are within 2^-52 of the scaled sums, differences of them within 3 * 2^-52, and none
      // exceeds 2, so that the two products and their difference are within 5 * 2^-52 * error.
      const double cross = ds1 * dw2 - ds2 * dw1;
      const double margin = 0x1p-49 * error;
      if (cross > margin) return true;
      if (cross < -margin) return false;
      return numeric::mean_not_less(s_[t] - s_[u], weight(u, t), s_[q] - s_[t], weight(t, q));
    }
  }

  // Writes to `point` the points of [begin, end] among which the vertices are, both ends included, and
  // returns how many. Of points that coincide, those on either side of an element of weight 0, only the last
  // is written.
  int candidates(int begin, int end, int* point) const {
    int count = 0;
    point[count++] = begin;
    int k = begin + 1;
    if constexpr (!Weighted && !approximated) {
      // A first round against the chords of the points one and four elements away, which are cheap to test.
      for (; k < end && k - 4 < begin; ++k) point[count++] = k;
      for (; k + 4 <= end; ++k) {
        const std::int64_t at = s(k);
        point[count] = k;
        count += ((s(k - 1) - at) + (s(k + 1) - at) > 0) & ((s(k - 4) - at) + (s(k + 4) - at) > 0);
      }
    }
    for (; k < end; ++k) {
      point[count] = k;
      count += weight(k, k + 1).is_zero() ? 0 : 1;
    }
    point[count++] = end;
    return count;
  }

  // Of sums of one word: (S_t - S_u) (q - t) - (S_q - S_t) (t - u).
  std::int64_t left_minus_right(int u, int t, int q) const {
    return (s(t) - s(u)) * (q - t) - (s(q) - s(t)) * (t - u);
  }

  // One round: drops every point above the chord of its neighbours in the list as it was.
  int convex_round(int* point, int count) const {
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
  int chain(int* point, int count) const {
    int top = 0;
    for (int j = 1; j < count; ++j) {
      const int q = point[j];
      while (top > 0 && above_chord(point[top - 1], point[top], q)) --top;
      point[++top] = q;
    }
    return top + 1;
  }

  int count_;
  numeric::grid grid_;
  numeric::integer<N>* s_ = nullptr;
  numeric::integer<M>* w_ = nullptr;
  double* s_near_ = nullptr;
  double* w_near_ = nullptr;
};

}  // namespace iso::host
