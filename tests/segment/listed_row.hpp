// A row cut into chunks whose hulls are known, for the tests of segment lists, and what brute force says
// about its hulls: by the monotone chain over all points, in integers of any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <iso/lane/findings.cuh>
#include <iso/segment/list_bridge.cuh>
#include <iso/segment/list_merge.cuh>
#include <iso/segment/list_reconstruct.cuh>

#include "catch.hpp"
#include "reference/oracle.hpp"
#include "reference/problem.hpp"
#include "reference/rational.hpp"

namespace segment_test {

using iso::list_bridge;
using iso::list_place;
using iso::segment;
using iso::segment_list;
using iso::segment_lists;

// The points of a row's diagram, in units of the row's own.
template <class T>
class diagram {
 public:
  explicit diagram(const reference::problem<T>& p) : problem_(p), x_(p.y.size() + 1), s_(p.y.size() + 1) {
    const int y_unit = reference::unit_exponent<T>(p.y);
    const int w_unit = p.weighted ? reference::unit_exponent<T>(p.w) : 0;
    for (std::size_t k = 0; k < p.y.size(); ++k) {
      const auto w = p.weighted ? reference::in_units(p.w[k], w_unit) : reference::integer(1);
      x_[k + 1] = x_[k] + w;
      s_[k + 1] = s_[k] + w * reference::in_units(p.y[k], y_unit);
    }
  }

  // The vertices of the lower hull of the points of the elements [begin, end), by the elements that they are
  // before, and `end`; none if the elements have no weight.
  std::vector<std::int64_t> hull(std::int64_t begin, std::int64_t end) const {
    std::vector<std::int64_t> stack;
    for (std::int64_t k = begin; k <= end; ++k) {
      if (k < end && problem_.weighted && problem_.w[static_cast<std::size_t>(k)] == 0) continue;
      while (stack.size() > 1 && turn(stack[stack.size() - 2], stack.back(), k) <= 0) stack.pop_back();
      stack.push_back(k);
    }
    return stack.size() > 1 ? stack : std::vector<std::int64_t>{};
  }

  // Above 0 if c is above the line from a to b.
  int turn(std::int64_t a, std::int64_t b, std::int64_t c) const {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b),
               k = static_cast<std::size_t>(c);
    return ((x_[j] - x_[i]) * (s_[k] - s_[i])).compare((s_[j] - s_[i]) * (x_[k] - x_[i]));
  }

 private:
  const reference::problem<T>& problem_;
  std::vector<reference::integer> x_, s_;
};

// Vertices in plain vectors. Counts how often it is asked.
template <class Sums>
struct vector_source {
  using sums = Sums;
  const std::vector<std::vector<iso::point<Sums>>>* chunk;
  std::int64_t* asked = nullptr;

  iso::point<Sums> vertex(std::int64_t c, int v) const {
    if (asked != nullptr) ++*asked;
    return (*chunk)[static_cast<std::size_t>(c)][static_cast<std::size_t>(v)];
  }
};

template <class T, bool Weighted, class Sums>
struct listed_row {
  static constexpr int n = decltype(Sums::s)::words, m = decltype(Sums::w)::words;

  const reference::problem<T>& problem;
  diagram<T> points;
  std::int64_t length, chunk_elements, chunks;
  iso::numeric::grid on;
  std::vector<Sums> before;  // of each element, and of the row's end
  std::vector<std::vector<iso::point<Sums>>> hulls;

  static iso::numeric::grid grid_of(const reference::problem<T>& p) {
    auto found = iso::findings::nothing();
    for (std::size_t k = 0; k < p.y.size(); ++k) {
      found.include_element<T, Weighted>(p.y[k], Weighted ? p.w[k] : T(1));
    }
    return found.grid<Weighted>();
  }
  // Whether the row's sums have room.
  static bool fits(const reference::problem<T>& p) {
    return iso::sums_fit<n, m>(grid_of(p), static_cast<std::int64_t>(p.y.size()));
  }

  listed_row(const reference::problem<T>& p, std::int64_t elements)
      : problem(p),
        points(p),
        length(static_cast<std::int64_t>(p.y.size())),
        chunk_elements(elements),
        chunks((length + elements - 1) / elements),
        on(grid_of(p)),
        before(p.y.size() + 1, Sums::zero()),
        hulls(static_cast<std::size_t>(chunks)) {
    for (std::int64_t k = 0; k < length; ++k) {
      const auto i = static_cast<std::size_t>(k);
      before[i + 1] = before[i];
      before[i + 1] += iso::numeric::sum_elements<T, Weighted, n, m>(p.y.data(), p.w.data(), k, k + 1, on);
    }
    for (std::int64_t c = 0; c < chunks; ++c) {
      for (const std::int64_t k : points.hull(c * chunk_elements, chunk_end(c))) {
        hulls[static_cast<std::size_t>(c)].push_back({k, before[static_cast<std::size_t>(k)]});
      }
    }
  }

  std::int64_t chunk_end(std::int64_t c) const { return (std::min)((c + 1) * chunk_elements, length); }
  vector_source<Sums> source() const { return {&hulls}; }

  // The hull of the chunks [first, end), by brute force.
  std::vector<std::int64_t> hull(std::int64_t first, std::int64_t end) const {
    while (end > first && hulls[static_cast<std::size_t>(end - 1)].empty()) --end;
    return points.hull(first * chunk_elements, (std::min)(end * chunk_elements, length));
  }
  // The elements that the vertices of a list are before.
  std::vector<std::int64_t> elements(const segment_list& list) const {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < list.size; ++i) {
      for (int v = list.at[i].first; v <= list.at[i].last; ++v) {
        out.push_back(source().vertex(list.at[i].chunk, v).element);
      }
    }
    return out;
  }
  std::int64_t element(const segment_list& list, const list_place& p) const {
    return point_at(source(), list, p).element;
  }
};

// The lists of a row, in memory of their own that begins with what nobody should read.
class owned_lists {
 public:
  template <class Row>
  explicit owned_lists(const Row& row)
      : slots_(static_cast<std::size_t>(row.chunks), segment{0xdeadbeef, 0xdead, 0xbeef}),
        sizes_(slots_.size(), -1) {
    for (std::size_t c = 0; c < slots_.size(); ++c) {
      get().start(static_cast<std::int64_t>(c), static_cast<int>(row.hulls[c].size()));
    }
  }
  segment_lists get() { return {static_cast<std::int64_t>(slots_.size()), slots_.data(), sizes_.data()}; }

 private:
  std::vector<segment> slots_;
  std::vector<std::int64_t> sizes_;
};

// The list of a row, after all merges.
template <class Source>
segment_list merged(const Source& source, owned_lists& lists) {
  for (int level = 0; level < lists.get().levels(); ++level) {
    for (std::int64_t k = 0; k < lists.get().merges(level); ++k) merge_lists(source, lists.get(), level, k);
  }
  return lists.get().root();
}

// Compares the fit and the pools that a row's list says with the oracle's.
template <class T, class Row, class Source>
void check_fit(const Row& row, const Source& source, const segment_list& root) {
  const auto owed = reference::solve(row.problem);
  for (std::int64_t k = 0; k < row.length; ++k) {
    const auto ends = ends_of_chunk(source, root, k / row.chunk_elements);
    const auto edge = edge_over(source, ends, k);
    const auto i = static_cast<std::size_t>(k);
    REQUIRE(iso::slope_of<T>(edge, row.on) == owed.fit[i]);
    REQUIRE(starts_pool(edge, k) == owed.starts[i]);
  }
}

}  // namespace segment_test
