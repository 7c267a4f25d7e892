// Time of iso::host::solve by family of data, value type, weights and shape, beside a copy of the same bytes.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <iso/host.hpp>

#include "../data.hpp"
#include "../result.hpp"

namespace {

using bench::family;

constexpr family families[] = {family::noise,      family::trend,    family::increasing,
                               family::sawtooth,   family::cliff,    family::labels,
                               family::decreasing, family::constant, family::pairs};

template <class Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  benchmark::ClobberMemory();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Calls and copies take turns, for at least 0.3 s and five calls.
template <class T, bool Weighted>
void solve(benchmark::State& state, family f, iso::shape size, int threads) {
  const std::int64_t elements = size.rows * size.length, arrays = Weighted ? 2 : 1;
  std::vector<T> in(static_cast<std::size_t>(arrays * elements)), fit(in.size());
  T *const y = in.data(), *const w = Weighted ? y + elements : nullptr;
  for (std::int64_t k = 0; k < elements; ++k) {
    y[k] = static_cast<T>(bench::value(f, k % size.length, size.length, k));
    if (w != nullptr) w[k] = static_cast<T>(bench::weight(k));
  }
  const iso::batch<const T> rows(y, size.rows, size.length), weights(w, size.rows, size.length);
  const iso::batch<T> out(fit.data(), size.rows, size.length);
  const std::int64_t copied = elements * (arrays + 1) / 2;  // each is read and written
  std::vector<double> calls, copies;
  for (double passed = 0; passed < 300 || calls.size() < 6;) {
    const double ms = milliseconds([&] {
      if constexpr (Weighted) {
        iso::host::solve<T, true>(rows, weights, out, {}, threads).check();
      } else {
        iso::host::solve<T, false>(rows, out, {}, threads).check();
      }
    });
    copies.push_back(milliseconds([&] { std::copy_n(y, copied, fit.data()); }));
    if (passed > 0) calls.push_back(ms);  // the first call warms up
    passed += ms;
  }
  bench::report(state, bench::spread_of(calls), bench::spread_of(copies),
                2 * copied * static_cast<std::int64_t>(sizeof(T)));
}

template <class T, bool Weighted>
void add(family f, iso::shape size, int threads) {
  const std::string name = bench::case_name("solve", bench::type_name<T, Weighted>(), f, size);
  bench::add(name + (threads == 1 ? "/1 thread" : "/all threads"),
             [=](benchmark::State& state) { solve<T, Weighted>(state, f, size, threads); });
}

template <class T>
void add_type() {
  constexpr std::int64_t n = 10'000'000;
  for (const family f : families) add<T, false>(f, {1, n}, 1);
  add<T, false>(family::noise, {1, n}, 0);
  for (const std::int64_t length : {5, 16, 100, 1000, 10000}) {
    add<T, false>(family::noise, {n / length, length}, 1);
  }
  for (const std::int64_t length : {std::int64_t{16}, n})
    add<T, true>(family::noise, {n / length, length}, 1);
}

}  // namespace

int main(int argc, char** argv) {
  add_type<float>();
  add_type<double>();
  return bench::run_registered(argc, argv);
}
