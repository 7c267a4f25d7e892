// What a refused call must report, be it one of the host or of the device.
#pragma once

#include <string>
#include <vector>

#include <iso/status.hpp>

#include "catch.hpp"

namespace host_test {

// Checks that the call was refused for its arguments, with a message that holds each of `named`.
inline void check_refused(const iso::status& called, const std::vector<std::string>& named) {
  CHECK_FALSE(called);
  CHECK(called.code() == iso::errc::invalid_argument);
  for (const std::string& what : named) {
    INFO("message: " << called.message() << "; should name " << what);
    CHECK(called.message().find(what) != std::string::npos);
  }
}

}  // namespace host_test
