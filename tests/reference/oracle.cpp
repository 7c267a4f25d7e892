// The oracle and the families of data, compiled for the tests.
#include "oracle.hpp"

#include "certificate.hpp"
#include "exact.hpp"
#include "families.hpp"

namespace reference {

template answer<float> solve(const problem<float>&);
template answer<double> solve(const problem<double>&);
template std::string fault(const problem<float>&, std::span<const float>, const std::vector<bool>&);
template std::string fault(const problem<double>&, std::span<const double>, const std::vector<bool>&);

template std::vector<float> values(std::string_view, std::size_t, std::uint64_t);
template std::vector<double> values(std::string_view, std::size_t, std::uint64_t);
template std::vector<float> weights(std::string_view, std::size_t, std::uint64_t);
template std::vector<double> weights(std::string_view, std::size_t, std::uint64_t);

}  // namespace reference
