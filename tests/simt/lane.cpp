// What collectives do.
#include "lane.hpp"

namespace simt::detail {
namespace {

bool same_text(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

bool is_shuffle(collective operation) {
  return operation >= collective::shfl && operation <= collective::shfl_xor;
}

// The lane whose value lane `rank` gets.
unsigned source(const call& what, unsigned rank, unsigned size) {
  switch (what.operation) {
    case collective::shfl:
      return what.argument % size;
    case collective::shfl_up:
      return rank < what.argument ? rank : rank - what.argument;
    case collective::shfl_down:
      return what.argument < size - rank ? rank + what.argument : rank;
    default:
      return rank ^ what.argument;
  }
}

}  // namespace

bool agree(const call& a, const call& b) {
  return a.operation == b.operation && a.where.line() == b.where.line() &&
         a.where.column() == b.where.column() &&
         (a.operation == collective::shfl || a.argument == b.argument) &&
         (a.where.file_name() == b.where.file_name() || same_text(a.where.file_name(), b.where.file_name()));
}

void exchange(lane* lanes, unsigned size) {
  const collective operation = lanes[0].what.operation;
  if (operation == collective::sync) return;
  if (is_shuffle(operation)) {
    for (unsigned k = 0; k < size; ++k) lanes[k].taken = lanes[source(lanes[k].what, k, size)].brought;
    return;
  }
  std::uint64_t votes = 0;
  unsigned count = 0;
  for (unsigned k = 0; k < size; ++k) {
    votes |= lanes[k].brought.words[0] << k;
    count += lanes[k].brought.words[0] != 0;
  }
  if (operation == collective::any) votes = count != 0;
  if (operation == collective::all) votes = count == size;
  for (unsigned k = 0; k < size; ++k) lanes[k].taken.words[0] = votes;
}

std::string describe(const call& what) {
  constexpr const char* names[] = {"sync",     "shfl",   "shfl_up", "shfl_down",
                                   "shfl_xor", "ballot", "any",     "all"};
  std::string text = names[static_cast<unsigned>(what.operation)];
  if (is_shuffle(what.operation)) text += '(' + std::to_string(what.argument) + ')';
  return text + " (" + what.where.file_name() + ':' + std::to_string(what.where.line()) + ')';
}

}  // namespace simt::detail
