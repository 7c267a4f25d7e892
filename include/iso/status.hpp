// What a call reports: one `status` a call, one `row_status` a row.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace iso {

// Why a call did not do its work.
enum class errc : std::uint8_t {
  ok = 0,
  invalid_argument,  // refused before anything was written; the message names the numbers that disagree
  out_of_memory,     // working memory on the host could not be had; nothing was written
  cuda,              // a call of the CUDA runtime failed; status::cuda_error() tells which way
};

// The outcome of a call. Converts to true on success. Rows that could not be fitted, of bad data, are no
// failure of the call: they come back NaN, and options::status tells. It is usable without the CUDA toolkit,
// so it keeps the runtime's error as the number that cudaError_t gives it.
//
//   iso::status s = iso::host::solve<float, false>(y, fit);
//   if (!s) std::cerr << s.message();     // or: s.check(), which throws std::runtime_error
class [[nodiscard]] status {
 public:
  status() = default;
  status(errc code, std::string message, int cuda_error = 0)
      : code_(code), cuda_error_(cuda_error), message_(std::move(message)) {}

  explicit operator bool() const noexcept { return code_ == errc::ok; }
  errc code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  // The cudaError_t of a failure errc::cuda; 0, which is cudaSuccess, of everything else.
  //
  //   if (s.cuda_error() == cudaErrorMemoryAllocation) ...
  int cuda_error() const noexcept { return cuda_error_; }

  // Throws std::runtime_error with the message unless the call succeeded.
  void check() const {
    if (code_ != errc::ok) throw std::runtime_error("iso: " + message_);
  }

 private:
  errc code_ = errc::ok;
  int cuda_error_ = 0;
  std::string message_;
};

// The outcome of one row. A row that is not `ok` comes back all NaN; other rows are unharmed. Where several
// apply to a row, the first in this order is reported.
enum class row_status : std::uint8_t {
  ok = 0,
  bad_weight,     // a weight is negative, NaN or infinite
  nan,            // a value of y is NaN, whatever its weight
  no_weight,      // the row has elements, and all their weights are zero
  indeterminate,  // +infinity and -infinity meet in one pool
};

}  // namespace iso
