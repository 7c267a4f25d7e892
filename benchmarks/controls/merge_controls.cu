// The merge phase of one long row: iso's tree of bridges beside the paper's segment lists, the two controls
// that copy vertices, and the paper's ablations (its tables 2 and 4), all from the same chunk hulls.
//
// Names: "merge/float/FAMILY/1xN/CONTROL" and, of the chunk stage, "lanes/float/FAMILY/1xN/STACK". Every hull
// is compared with iso::host::solve's pools before it is timed. Counters beside those of result.hpp:
//
//   beside_ms        the median of what the control is compared with, in turns with it: `segments`, or of the
//                    chunk stage `bit_mask`
//   levels, launches of the tree, of a call
//   held_bytes       what the hulls of all levels take, together; whole_grid_copying writes as much, other
//                    controls at most that
//   missing, extra   vertices of the exact hull that are not there, and others that are; above 0 only with
//                    plain turns, where it is no error
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../device/suite.cuh"
#include "merge_controls.cuh"

namespace {

using namespace bench::controls;
using bench::family;

constexpr std::int64_t lengths[] = {1'000'000, 10'000'000, 100'000'000};
constexpr bench::effort short_effort{30, 2, 20, 1, 8};  // the slowest calls take seconds
constexpr auto three_cases = iso::bridge_search::three_cases;
constexpr auto nested = iso::bridge_search::nested;

using usual = segments<filtered_sums>;

// The row of the last call, if it is the one that is asked for: benchmarks of a row come one after another.
const prepared_row& row_of(family f, std::int64_t n) {
  static std::unique_ptr<prepared_row> row;
  static std::pair<family, std::int64_t> which;
  if (row == nullptr || which != std::pair(f, n)) {
    row.reset();
    row = std::make_unique<prepared_row>(f, n);
    which = {f, n};
  }
  return *row;
}

std::string told(const prepared_row::differences& d) {
  return std::to_string(d.missing) + " vertices are missing, " + std::to_string(d.extra) + " are too many";
}

// Merges once, and checks and counts.
void check_merge(benchmark::State& state, const prepared_row& row, control& way, bool exact) {
  row.clear_marks();
  way.restore(nullptr);
  int levels = 0;
  std::int64_t held = 0;
  way.merge(nullptr, [&](int level) {
    held += way.held(level);
    ++levels;
  });
  way.mark();
  const auto found = row.compare();
  if (exact && (found.missing != 0 || found.extra != 0)) throw std::runtime_error(told(found));
  state.counters["levels"] = levels;
  state.counters["launches"] = way.launches();
  state.counters["held_bytes"] = static_cast<double>(held);
  state.counters["missing"] = static_cast<double>(found.missing);
  state.counters["extra"] = static_cast<double>(found.extra);
}

bench::work work_of(control& way) {
  return {[&way](std::int64_t, cudaStream_t stream) { way.merge(stream); },
          [&way](std::int64_t, cudaStream_t stream) { way.restore(stream); }};
}

bench::work copy_of(const prepared_row& row) {
  return {[&row](std::int64_t, cudaStream_t stream) { row.copy(stream); },
          [&row](std::int64_t, cudaStream_t stream) { row.flush(stream); }};
}

template <class Control>
void add_merge(const std::string& name, family f, std::int64_t n, bool exact = true) {
  bench::add(bench::case_name("merge", "float", f, {1, n}) + "/" + name, [=](benchmark::State& state) {
    const prepared_row& row = row_of(f, n);
    Control way(row);
    usual beside(row);
    check_merge(state, row, way, exact);
    const auto times = bench::time_in_turns({work_of(way), copy_of(row), work_of(beside)}, short_effort);
    const auto held = static_cast<std::int64_t>(state.counters["held_bytes"].value);
    bench::report(state, times.works[0], times.works[1], held);
    bench::count_late(state, times);
    state.counters["beside_ms"] = times.works[2].median;
  });
}

// The lane hulls of all chunks: those of our chunks' hulls must be among their vertices, and both stacks must
// give the same.
template <class Stack>
void enqueue_lanes(const prepared_row& row, std::uint32_t* masks, cudaStream_t stream) {
  using record = iso::chunk_record<float, false>;
  bench::check(enqueue_kernel(hull_lanes<Stack, record>, blocks_for(row.chunks, warp_threads / 32),
                              warp_threads, stream, static_cast<const float*>(row.y.data()), row.length,
                              static_cast<const record*>(row.space().chunk), masks));
}

void check_lanes(const prepared_row& row) {
  tree_of_bridges(row).restore(nullptr);
  enqueue_lanes<bit_mask>(row, row.masks.data(), nullptr);
  enqueue_lanes<local_memory>(row, row.bits.data(), nullptr);
  const auto differ = [&](const std::uint32_t* bits, const std::uint32_t* owed) {
    bench::check(cudaMemset(row.counts.data(), 0, 2 * sizeof(unsigned long long)));
    compare_bits<<<1024, 256>>>(bits, owed, row.words, row.counts.data());
    prepared_row::differences found;
    bench::check(cudaMemcpy(&found, row.counts.data(), sizeof found, cudaMemcpyDefault));
    return found;
  };
  const auto stacks = differ(row.bits.data(), row.masks.data());
  if (stacks.missing != 0 || stacks.extra != 0) throw std::runtime_error("of the stacks: " + told(stacks));
  const auto chunks = differ(row.masks.data(), row.space().bits);
  if (chunks.missing != 0) throw std::runtime_error("of the chunks: " + told(chunks));
}

template <class Enqueue>
void add_lanes(const std::string& name, family f, std::int64_t n, const Enqueue& enqueue) {
  bench::add(bench::case_name("lanes", "float", f, {1, n}) + "/" + name, [=](benchmark::State& state) {
    const prepared_row& row = row_of(f, n);
    check_lanes(row);
    const auto flush = [&row](std::int64_t, cudaStream_t stream) { row.flush(stream); };
    const auto times = bench::time_in_turns(
        {bench::work([&](std::int64_t, cudaStream_t stream) { enqueue(row, stream); }, flush), copy_of(row),
         bench::work([&](std::int64_t,
                         cudaStream_t stream) { enqueue_lanes<bit_mask>(row, row.masks.data(), stream); },
                     flush)},
        short_effort);
    bench::report(state, times.works[0], times.works[1], 4 * n);
    bench::count_late(state, times);
    state.counters["beside_ms"] = times.works[2].median;
  });
}

void add_row(family f, std::int64_t n) {
  add_merge<usual>("segments", f, n);
  add_merge<whole_grid_copying<filtered_sums>>("whole_grid_copying", f, n);
  add_merge<whole_grid_copying<plain_sums>>("whole_grid_plain_turns", f, n, false);
  add_merge<per_merge_copying<filtered_sums>>("per_merge_copying", f, n);
  add_merge<tree_of_bridges>("tree_of_bridges", f, n);
  add_merge<segments<filtered_sums, three_cases>>("segments_three_cases", f, n);
  add_merge<segments<filtered_sums, nested, schedule::warps>>("segments_warp_a_merge", f, n);
  add_merge<segments<filtered_sums, nested, schedule::capped>>("segments_capped_walks", f, n);
  add_merge<segments<plain_sums>>("segments_plain_turns", f, n, false);
  add_merge<segments<exact_sums>>("segments_integers", f, n);
  add_lanes("bit_mask", f, n, [](const prepared_row& row, cudaStream_t stream) {
    enqueue_lanes<bit_mask>(row, row.masks.data(), stream);
  });
  add_lanes("local_memory", f, n, [](const prepared_row& row, cudaStream_t stream) {
    enqueue_lanes<local_memory>(row, row.masks.data(), stream);
  });
  add_lanes("chunk_stage", f, n,
            [](const prepared_row& row, cudaStream_t stream) { row.hull_chunks(stream); });
}

}  // namespace

int main(int argc, char** argv) {
  if (const int status = bench::find_device(); status != 0) return status;
  for (const std::int64_t n : lengths) {
    for (const family f : bench::families) add_row(f, n);
  }
  return bench::run_registered(argc, argv);
}
