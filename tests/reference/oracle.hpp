// The oracle as the tests of solvers call it. It is compiled once for all of them, in oracle.cpp; the tests
// of the oracle itself compile their own, from exact.hpp and certificate.hpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problem.hpp"

namespace reference {

// The exact fit of one row, its pools, and its status.
template <class T>
answer<T> solve(const problem<T>& p);

// Empty if the answer is proved to be the exact one; otherwise what is wrong with it. For rows of finite
// values, weights that are not all zero, and bounds that are finite or leave that side open.
template <class T>
std::string fault(const problem<T>& p, std::span<const T> fit, const std::vector<bool>& starts);

}  // namespace reference
