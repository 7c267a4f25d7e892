// Time of iso::solve by shape, family of data and value type, beside a device-to-device copy of the same
// bytes: the shapes of the paper's Table 1 and some more, as a Markdown table.
//
//   solve_table                    all of it
//   solve_table 1x100000000 noise  the lines that contain every argument: shape, family, float or double,
//                                  weighted or unweighted
//
// How it is measured: by events around each call, warm, in the same run as the copy. Calls take turns through
// sets of data that together are several times the L2 cache. A kernel that only waits holds the stream while
// calls are enqueued, so that the device, not the host's enqueuing, is timed. Working memory is given.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>
#include <iso/solve.cuh>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 4 : 1);
}

template <class U>
class device_array {
 public:
  explicit device_array(std::int64_t size) {
    if (size > 0) check(cudaMalloc(&data_, static_cast<std::size_t>(size) * sizeof(U)));
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }
  U* data() const { return data_; }

 private:
  U* data_ = nullptr;
};

enum class family { noise, increasing, sawtooth, cliff };

const char* name(family f) {
  constexpr const char* names[] = {"noise", "increasing", "sawtooth", "cliff"};
  return names[static_cast<int>(f)];
}

// In (0, 1), the same for the same k.
__device__ double uniform(std::int64_t k) {
  auto z = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u;  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

// Element i of a row of n elements; k is another for each element of all rows.
__device__ double value(family f, std::int64_t i, std::int64_t n, std::int64_t k) {
  const auto at = static_cast<double>(i);
  if (f == family::noise) {
    return 3 * at / static_cast<double>(n) + sqrt(-2 * log(uniform(2 * k))) * cospi(2 * uniform(2 * k + 1));
  }
  if (f == family::sawtooth) return static_cast<double>(i % 1000) + 1e-3 * at;
  return f == family::cliff && i + 1 == n ? -1e12 : at;
}

template <class T>
__global__ void draw(family f, T* y, T* w, std::int64_t total, std::int64_t n) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < total; k += step) {
    y[k] = static_cast<T>(value(f, k % n, n, k));
    if (w != nullptr) w[k] = static_cast<T>(0.1 + uniform(~k));
  }
}

__global__ void wait(std::int64_t cycles) {
  const std::int64_t start = clock64();
  while (clock64() - start < cycles) {
  }
}

struct times {
  float median, least, most;
};

// Milliseconds of enqueue(set, stream), the sets taking turns.
template <class Enqueue>
times measure(int repeats, const Enqueue& enqueue) {
  constexpr int at_once = 20;  // few enough for the stream's queue
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<cudaEvent_t> events(2 * at_once);
  for (cudaEvent_t& e : events) check(cudaEventCreate(&e));
  for (int k = 0; k < 5; ++k) enqueue(k, stream);
  std::vector<float> ms;
  for (int done = 0; done < repeats; done += at_once) {
    wait<<<1, 1, 0, stream>>>(4000000);
    for (int k = 0; k < at_once; ++k) {
      check(cudaEventRecord(events[2 * k], stream));
      enqueue(done + k, stream);
      check(cudaEventRecord(events[2 * k + 1], stream));
    }
    check(cudaStreamSynchronize(stream));
    for (int k = 0; k < at_once; ++k) {
      check(cudaEventElapsedTime(&ms.emplace_back(), events[2 * k], events[2 * k + 1]));
    }
  }
  for (cudaEvent_t& e : events) check(cudaEventDestroy(e));
  check(cudaStreamDestroy(stream));
  std::sort(ms.begin(), ms.end());
  return {ms[ms.size() / 2], ms.front(), ms.back()};
}

struct line {
  std::int64_t rows, n;
  family data;
};

// As many sets of the line's data as fill the L2 cache several times.
template <class T, bool Weighted>
void run(const line& of) {
  const std::int64_t elements = of.rows * of.n, arrays = Weighted ? 2 : 1;
  const auto bytes = elements * static_cast<std::int64_t>(sizeof(T)) * (arrays + 1);
  const std::int64_t sets = std::max(std::int64_t{1}, (std::int64_t{512} << 20) / bytes);
  const std::int64_t total = sets * elements, copied = elements * (arrays + 1) / 2;
  const device_array<T> in(arrays * total), fit(sets * std::max(elements, copied));
  T* const y = in.data();
  T* const w = Weighted ? y + total : nullptr;
  draw<<<2048, 256>>>(of.data, y, w, total, of.n);
  check(cudaDeviceSynchronize());
  const std::size_t room = iso::workspace_bytes<T, Weighted>({of.rows, of.n});
  const device_array<std::byte> workspace(static_cast<std::int64_t>(room));
  iso::options<T> opt;
  opt.workspace = {workspace.data(), room};
  const int repeats = bytes > (std::int64_t{1} << 28) ? 40 : 200;
  const times solved = measure(repeats, [&](int repeat, cudaStream_t stream) {
    const std::int64_t at = repeat % sets * elements;
    const iso::batch<const T> rows(y + at, of.rows, of.n);
    const iso::batch<T> out(fit.data() + at, of.rows, of.n);
    if constexpr (Weighted) {
      iso::solve<T, true>(stream, rows, iso::batch<const T>(w + at, of.rows, of.n), out, opt).check();
    } else {
      iso::solve<T, false>(stream, rows, out, opt).check();
    }
  });
  const times copy = measure(repeats, [&](int repeat, cudaStream_t stream) {
    const std::int64_t set = repeat % sets;
    check(cudaMemcpyAsync(fit.data() + set * copied, y + set * copied,
                          static_cast<std::size_t>(copied) * sizeof(T), cudaMemcpyDeviceToDevice, stream));
  });
  std::printf("| %.4f | %.4f | %.4f | %.4f | %.2f |\n", solved.median, solved.least, solved.most, copy.median,
              solved.median / copy.median);
}

template <class T, bool Weighted>
void run_if_wanted(const line& of, const std::vector<std::string_view>& wanted) {
  const std::string shape = std::to_string(of.rows) + "x" + std::to_string(of.n);
  const std::string type = std::string(sizeof(T) == 4 ? "float" : "double") + (Weighted ? " weighted" : "");
  const std::string label = shape + " | " + name(of.data) + " | " + type;
  std::string words = " ";
  words += label + (Weighted ? " " : " unweighted ");
  for (const std::string_view part : wanted) {
    // Whole words, or 1x1000000 would be part of 1x10000000.
    std::string word = " ";
    word.append(part).append(" ");
    if (words.find(word) == std::string::npos) return;
  }
  std::printf("| %s ", label.c_str());
  std::fflush(stdout);
  run<T, Weighted>(of);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> wanted(argv + 1, argv + argc);
  int device = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  std::printf("%s. Times in ms; median, least and most of many calls.\n\n", properties.name);
  std::printf("| rows x n | family | type | ms | least | most | copy ms | copies |\n");
  std::printf("|---|---|---|---:|---:|---:|---:|---:|\n");
  const std::int64_t shapes[][2] = {{100, 1000},   {1000000, 16},  {10000, 1000}, {1000, 10000}, {1, 1000000},
                                    {1, 10000000}, {1, 100000000}, {10000000, 5}, {100, 100000}};
  for (const auto& [rows, n] : shapes) {
    for (const family f : {family::noise, family::increasing, family::sawtooth, family::cliff}) {
      if (f == family::cliff && n < 10000000) continue;
      const line of{rows, n, f};
      run_if_wanted<float, false>(of, wanted);
      run_if_wanted<float, true>(of, wanted);
      run_if_wanted<double, false>(of, wanted);
      run_if_wanted<double, true>(of, wanted);
    }
  }
  return 0;
}
