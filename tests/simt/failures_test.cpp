// What lanes must not do, planted, in many orders: launch() says what went wrong and where. Each has a
// corrected twin that passes.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "simt/simt.hpp"

using simt::thread_block;
using simt::tiled_partition;

namespace {

constexpr std::uint64_t orders = 100;
using kernel = std::function<void(const thread_block&)>;

std::string failure_of(unsigned threads, std::uint64_t seed, const kernel& body) {
  try {
    simt::launch(threads, seed, body);
  } catch (const simt::failure& failed) {
    return failed.what();
  }
  return "";
}

std::string at(const std::string& what, unsigned line) {
  return what + " (" + __FILE__ + ":" + std::to_string(line) + ")";
}

// In every order, the failure's text has all these parts.
void must_fail(unsigned threads, const std::vector<std::string>& parts, const kernel& body) {
  for (std::uint64_t seed = 0; seed < orders; ++seed) {
    const std::string text = failure_of(threads, seed, body);
    for (const std::string& part : parts) {
      INFO("seed " << seed << ": " << text);
      REQUIRE(text.find(part) != std::string::npos);
    }
  }
}

void must_pass(unsigned threads, const kernel& body) {
  for (std::uint64_t seed = 0; seed < orders; ++seed) REQUIRE(failure_of(threads, seed, body) == "");
}

}  // namespace

TEST_CASE("lanes of a group at different collectives are told apart") {
  constexpr unsigned line = __LINE__;
  const auto bug = [](const thread_block& block) {
    const auto warp = tiled_partition<32>(block);
    if (warp.thread_rank() < 16)
      warp.sync();
    else
      warp.ballot(1);
  };
  must_fail(64, {"a group of 32 meet at different", at("sync", line + 4), at("ballot", line + 6)}, bug);

  must_pass(64, [](const thread_block& block) {
    const auto half = tiled_partition<16>(block);
    if (half.meta_group_rank() % 2 == 0)
      half.sync();
    else
      half.ballot(1);
  });
}

TEST_CASE("so are lanes at two calls of one collective") {
  constexpr unsigned line = __LINE__;
  const auto bug = [](const thread_block& block) {
    if (block.thread_rank() == 37)
      block.sync();
    else
      block.sync();
  };
  must_fail(64, {"lane 37 at sync", at("sync", line + 3), at("sync", line + 5)}, bug);
  must_pass(64, [](const thread_block& block) { block.sync(); });
}

TEST_CASE("so are different collectives that a wrapper reports at one place") {
  const auto here = simt::call_site::current();
  must_fail(4, {"at sync", "at any"}, [here](const thread_block& block) {
    const auto tile = tiled_partition<4>(block);
    if (tile.thread_rank() == 2)
      tile.sync(here);
    else
      tile.any(1, here);
  });
}

TEST_CASE("lanes that shift by different amounts are told apart") {
  const auto bug = [](const thread_block& block) {
    const auto tile = tiled_partition<8>(block);
    tile.shfl_down(1, tile.thread_rank() < 4 ? 1 : 2);
  };
  must_fail(8, {"at shfl_down(1)", "at shfl_down(2)"}, bug);
  must_fail(8, {"at shfl_xor(1)", "at shfl_xor(3)"}, [](const thread_block& block) {
    const auto tile = tiled_partition<8>(block);
    tile.shfl_xor(1, tile.thread_rank() < 7 ? 1 : 3);
  });
  must_pass(8, [](const thread_block& block) {
    const auto tile = tiled_partition<8>(block);
    tile.shfl_down(1, tile.meta_group_rank() < 4 ? 1 : 2);
    tile.shfl(1, tile.thread_rank() < 4 ? 1 : 2);
  });
}

TEST_CASE("a lane that returns while others wait is found") {
  constexpr unsigned line = __LINE__;
  const auto bug = [](const thread_block& block) {
    const auto warp = tiled_partition<32>(block);
    const int mine = warp.any(block.thread_rank() == 3);
    if (mine && warp.thread_rank() >= 30) return;
    warp.sync();
  };
  must_fail(64, {at("sync", line + 5), "has returned; its last collective: lane", at("any", line + 3)}, bug);

  must_pass(64, [](const thread_block& block) {
    const auto warp = tiled_partition<32>(block);
    const int mine = warp.any(block.thread_rank() == 3);
    warp.sync();
    if (mine && warp.thread_rank() >= 30) return;
    tiled_partition<2>(block).sync();  // of lanes 30 and 31 neither comes here
  });
  must_fail(32, {"waits for lane 5, which has returned"}, [](const thread_block& block) {
    if (block.thread_rank() != 5) block.sync();
  });
}

TEST_CASE("lanes that wait for each other in different groups are a deadlock") {
  constexpr unsigned line = __LINE__;
  const auto bug = [](const thread_block& block) {
    const auto warp = tiled_partition<32>(block);
    if (warp.thread_rank() < 16)
      block.sync();
    else
      warp.sync();
  };
  must_fail(64,
            {"deadlock: 32 of a group of 64 wait", "16 of a group of 32", at("sync", line + 4),
             at("sync", line + 6)},
            bug);
  must_fail(8, {"deadlock: 1 of a group of 2", "3 of a group of 4"}, [](const thread_block& block) {
    if (block.thread_rank() >= 4) return;  // in no group of the others
    if (block.thread_rank() == 0) tiled_partition<2>(block).sync();
    tiled_partition<4>(block).sync();
  });
  must_pass(64, [](const thread_block& block) {
    const auto warp = tiled_partition<32>(block);
    if (warp.thread_rank() < 16) tiled_partition<16>(block).sync();
    warp.sync();
    block.sync();
  });
}

TEST_CASE("arguments that no hardware defines are refused") {
  constexpr unsigned line = __LINE__;
  must_fail(8, {at("shfl_xor(8)", line + 2) + ": the argument reaches outside"},
            [](const thread_block& block) { tiled_partition<8>(block).shfl_xor(1, 8); });
  must_fail(8, {"shfl_up(32)"}, [](const thread_block& block) { tiled_partition<8>(block).shfl_up(1, 32); });
  must_fail(8, {"shfl_down(32)"},
            [](const thread_block& block) { tiled_partition<8>(block).shfl_down(1, 32); });
  must_pass(8, [](const thread_block& block) {
    const auto tile = tiled_partition<8>(block);
    tile.shfl_xor(1, 7);
    tile.shfl_up(1, 31);
    tile.shfl_down(1, 31);
    tile.shfl(1, -1);
  });
}

TEST_CASE("a group of another lane, or of a block that its tiles do not divide, is refused") {
  must_fail(48, {"the block is no multiple of the tile"},
            [](const thread_block& block) { tiled_partition<32>(block).sync(); });
  must_pass(48, [](const thread_block& block) { tiled_partition<16>(block).sync(); });

  must_fail(4, {"the group is another lane's"},
            [](const thread_block& block) { thread_block(block.thread_rank() ^ 1, 4).sync(); });
}

TEST_CASE("launches that cannot be are refused") {
  const auto nothing = [](const thread_block&) {};
  CHECK(failure_of(0, 0, nothing) == "a block of 0 threads");
  CHECK(failure_of(1025, 0, nothing) == "a block of 1025 threads");
  CHECK(failure_of(1024, 0, nothing) == "");
  must_fail(4, {"a launch inside a launch"}, [&](const thread_block&) { simt::launch(4, 0, nothing); });
  CHECK_THROWS_AS(thread_block(0, 1).sync(), simt::failure);
}

TEST_CASE("an exception of a lane comes out of the launch") {
  for (std::uint64_t seed = 0; seed < orders; ++seed) {
    CHECK_THROWS_WITH(simt::launch(64, seed,
                                   [](const thread_block& block) {
                                     block.sync();
                                     if (block.thread_rank() == 40) throw std::out_of_range("lane 40");
                                     block.sync();
                                   }),
                      "lane 40");
  }
}

TEST_CASE("a lane handles its own exceptions across no collective") {
  std::array<int, 32> caught{};
  simt::launch(32, 2, [&](const thread_block& block) {
    try {
      block.sync();
      throw std::runtime_error("mine");
    } catch (const std::runtime_error&) {
      ++caught[block.thread_rank()];
    }
    block.sync();
  });
  for (const int count : caught) CHECK(count == 1);
}

TEST_CASE("algorithms that promise not to throw fail all the same") {
  must_fail(32, {"waits for lane"}, [](const thread_block& block) noexcept {
    if (block.thread_rank() % 2) tiled_partition<32>(block).sync();
  });
}
