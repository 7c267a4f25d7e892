// The GPU, where the program was built with CUDA and finds one. What it solves has the same bits as on the
// CPU, so nothing the program writes tells which of them was at work.
#pragma once

#include <span>

#include <iso/options.hpp>

namespace app {

bool has_device();

// Solves one row as iso::host::solve does; y and fit may be the same memory, w is empty for weights of one.
// False, with nothing written, if there is no device or it has no room: then the CPU is to do it.
bool solve_on_device(std::span<const double> y, std::span<const double> w, std::span<double> fit,
                     const iso::options<double>& how);

}  // namespace app
