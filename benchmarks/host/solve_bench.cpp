// Time of iso::host::solve by family of data, value type, weights and shape, beside a copy of the same bytes.
//
// Bytes a second count each input read once and the fit written once.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <iso/host.hpp>

namespace {

using family = double (*)(std::int64_t i, std::int64_t n, std::mt19937_64& g);

double normal(std::mt19937_64& g) {
  return std::normal_distribution<double>()(g);
}

const struct {
  const char* name;
  family value;
} families[] = {
    {"noise", [](std::int64_t, std::int64_t, std::mt19937_64& g) { return normal(g); }},
    {"trend", [](std::int64_t i, std::int64_t n,
                 std::mt19937_64& g) { return 1e3 * double(i) / double(n) + normal(g); }},
    {"increasing", [](std::int64_t i, std::int64_t, std::mt19937_64&) { return double(i); }},
    {"decreasing", [](std::int64_t i, std::int64_t, std::mt19937_64&) { return -double(i); }},
    {"constant", [](std::int64_t, std::int64_t, std::mt19937_64&) { return 0.3; }},
    {"pairs",
     [](std::int64_t i, std::int64_t, std::mt19937_64&) { return double(i / 2) + (i % 2 ? 1.0 : 1.5); }},
    {"sawtooth",
     [](std::int64_t i, std::int64_t, std::mt19937_64&) { return double(i % 1000) + 1e-3 * double(i); }},
    {"cliff", [](std::int64_t i, std::int64_t n, std::mt19937_64&) { return i + 1 < n ? double(i) : -1e12; }},
    {"labels", [](std::int64_t i, std::int64_t n,
                  std::mt19937_64& g) { return double(g() % std::uint64_t(n) < std::uint64_t(i)); }},
};

template <class T>
std::vector<T> data(family value, std::int64_t n) {
  std::mt19937_64 g(1);
  std::vector<T> y;
  for (std::int64_t i = 0; i < n; ++i) y.push_back(static_cast<T>(value(i, n, g)));
  return y;
}

template <class T>
std::vector<T> random_weights(std::int64_t n) {
  std::mt19937_64 g(2);
  std::uniform_real_distribution<T> u(T(0.1), T(1.1));
  std::vector<T> w;
  for (std::int64_t i = 0; i < n; ++i) w.push_back(u(g));
  return w;
}

template <class T, bool Weighted>
void solve(benchmark::State& state, family value, std::int64_t rows, std::int64_t length, int threads) {
  const std::vector<T> y = data<T>(value, rows * length), w = random_weights<T>(Weighted ? rows * length : 0);
  std::vector<T> fit(y.size());
  const iso::batch<const T> in(y.data(), rows, length), weights(w.data(), rows, length);
  const iso::batch<T> out(fit.data(), rows, length);
  for (auto _ : state) {
    if constexpr (Weighted) {
      iso::host::solve<T, true>(in, weights, out, {}, threads).check();
    } else {
      iso::host::solve<T, false>(in, out, {}, threads).check();
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows * length * std::int64_t(sizeof(T)) * (Weighted ? 3 : 2));
}

template <class T>
void copy(benchmark::State& state, std::int64_t n) {
  const std::vector<T> y = data<T>(families[0].value, n);
  std::vector<T> fit(y.size());
  for (auto _ : state) {
    std::copy(y.begin(), y.end(), fit.begin());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * std::int64_t(sizeof(T)) * 2);
}

template <class F>
void add(const std::string& name, F run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(0.3);
}

template <class T>
void add_type(const std::string& type) {
  constexpr std::int64_t n = 10'000'000;
  add("copy/" + type + "/1x10000000", [](benchmark::State& s) { copy<T>(s, n); });
  for (const auto& f : families) {
    add("solve/" + type + "/" + f.name + "/1x10000000/1 thread",
        [&f](benchmark::State& s) { solve<T, false>(s, f.value, 1, n, 1); });
  }
  add("solve/" + type + "/noise/1x10000000/all threads",
      [](benchmark::State& s) { solve<T, false>(s, families[0].value, 1, n, 0); });
  for (std::int64_t length : {5, 16, 100, 1000, 10000}) {
    add("solve/" + type + "/noise/" + std::to_string(n / length) + "x" + std::to_string(length) + "/1 thread",
        [length](benchmark::State& s) { solve<T, false>(s, families[0].value, n / length, length, 1); });
  }
  for (std::int64_t length : {std::int64_t{16}, n}) {
    add("solve/" + type + " weighted/noise/" + std::to_string(n / length) + "x" + std::to_string(length) +
            "/1 thread",
        [length](benchmark::State& s) { solve<T, true>(s, families[0].value, n / length, length, 1); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_type<float>("float");
  add_type<double>("double");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
