// Nodes merged in two ways, which must agree: by what is tested, and by the search in integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <iso/segment/hull_tree.cuh>
#include <iso/segment/merge.cuh>
#include <iso/segment/records.cuh>

#include "catch.hpp"
#include "emulated_long_row.hpp"
#include "reference/families.hpp"
#include "simt/simt.hpp"

namespace segment_test {

// Merges that gave a long hull or a listed one; that were refused although there were lists at the boundary,
// or where there were none.
struct tally {
  int accepted = 0, refused = 0, listed = 0, without = 0;
  bool wide = false;
};

template <class Sums>
bool same_sums(const Sums& a, const Sums& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class Point>
bool same_point(const Point& a, const Point& b) {
  return a.element == b.element && same_sums(a.at, b.at);
}

// What nodes say that is read of them.
template <class Node, class List>
bool same_node(const Node& a, const List& a_list, const Node& b, const List& b_list) {
  if (a.is != b.is || a.points != b.points) return false;
  if (!same_point(a.bridge_left, b.bridge_left) || !same_point(a.bridge_right, b.bridge_right)) return false;
  if (a.points == 0) {
    return a.begin == b.begin && a.end == b.end && same_point(a.second, b.second) &&
           same_point(a.last_but_one, b.last_but_one);
  }
  for (int i = 0; i < a.points; ++i) {
    const int at = List::of_node(a.points) + i;
    if (a_list.element[at] != b_list.element[at] || !same_sums(a_list.at[at], b_list.at[at])) return false;
  }
  return true;
}

// Whether the children of a boundary have what a window is made of, lists at the boundary.
template <class State, class Facts>
bool has_lists(const State& state, const Facts& facts, std::int64_t c) {
  const auto listed = [&](std::int64_t chunk) {
    return state.chunk[chunk].live && state.chunk[chunk].points > 0 && state.chunk_begin(chunk) < facts.end &&
           state.chunk_begin(chunk) + iso::chunk_elements > facts.begin;
  };
  return listed(c - 1) && listed(c);
}

// Merges every node by merge(reader, boundary), which returns what merge_windows does, and then anew in
// integers by the search, and compares the two.
template <class Rows, class Space, class Facts, class Merge>
void merge_both_ways(const Rows& rows, const Space& at, const Facts& facts, std::uint64_t order,
                     const std::string& what, tally& seen, const Merge& merge) {
  using reader_type = iso::row_reader<simt::tile<32>, Rows>;
  seen.wide = facts.wide;
  if (facts.wide) return;
  const auto state = at.of_row(0);
  const auto in_a_warp = [&](const auto& body) {
    simt::launch(32, order, [&](const simt::thread_block& block) {
      const auto warp = simt::tiled_partition<32>(block);
      body(reader_type{warp, rows, 0, state, facts});
    });
  };
  for (std::int64_t width = 1; width < at.chunks; width *= 2) {
    for (std::int64_t c = width; c < at.chunks; c += 2 * width) {
      auto& node = state.node[c];
      auto& list = state.points[iso::hull_tree::first_chunk(c)];
      const auto list_before = list;
      int points = -2;
      in_a_warp([&](const reader_type& reader) {
        const int found = merge(reader, c);
        if (reader.tile.thread_rank() == 0) points = found;
      });
      const auto node_found = node;
      const auto list_found = list;
      list = list_before;
      in_a_warp([&](const reader_type& reader) { iso::write_node(reader, c); });
      seen.accepted += points == 0;
      seen.listed += points > 0;
      seen.refused += points < 0 && has_lists(state, facts, c);
      seen.without += points < 0 && !has_lists(state, facts, c);
      const bool right =
          points < 0 || (points == node.points && same_node(node_found, list_found, node, list));
      if (!right) FAIL_CHECK(what << ": node " << c << " of " << at.chunks << " chunks");
    }
  }
}

template <bool Weighted, class T, class Merge>
void check_merges(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen,
                  const Merge& merge) {
  bool wide = false;
  solve_emulated_by<Weighted>(p, order, wide, [&](const auto& rows, const auto& at, const auto& facts) {
    merge_both_ways(rows, at, facts, order, what, seen, merge);
  });
}

// Noise on a slope that rises by `rise` a chunk.
template <class T>
std::vector<T> trend(std::size_t n, double rise, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::normal_distribution<double> noise;
  std::vector<T> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<T>(static_cast<double>(i) * rise / 1024 + noise(g));
  return y;
}

// The same in steps, with runs of equal slopes: bridges that touch at several vertices.
template <class T>
std::vector<T> steps(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::vector<T> y(n);
  const std::size_t length = 16 + g() % 512;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = static_cast<T>(static_cast<double>(i / length) + static_cast<double>(g() % 3) - 1);
  }
  return y;
}

template <class T>
void add_infinities(std::vector<T>& y, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  const auto some = [&] { return static_cast<std::ptrdiff_t>(g() % (y.size() / 2)); };
  if (seed % 3 != 0) std::fill(y.begin(), y.begin() + some(), -reference::infinity<T>);
  if (seed % 3 != 1) std::fill(y.end() - some(), y.end(), reference::infinity<T>);
}

}  // namespace segment_test
