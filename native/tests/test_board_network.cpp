// Board networks touch only their own memory and compute the same in every instruction set of this machine.
#include <cstring>

#include "blockfall/board_network_file.hpp"
#include "blockfall/dispatch.hpp"
#include "check.hpp"
#include "sample_rules.hpp"

namespace blockfall {
extern const Kernels emulated_kernels;  // sixteen lanes on any machine
}

using namespace blockfall;

namespace {

// Random bytes, with shifts, factors and outputs that a file may have.
std::vector<uint8_t> drawn_weights(const BoardNetworkSizes& s) {
  std::vector<uint8_t> bytes;
  uint32_t state = 7;
  const auto add = [&](int64_t count, int size, int32_t least, int32_t most) {
    for (int64_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      const int32_t number = least + int32_t((uint64_t(state) * uint64_t(most - least + 1)) >> 32);
      const size_t at = bytes.size();
      bytes.resize(at + size_t(size));
      std::memcpy(bytes.data() + at, &number, size_t(size));
    }
  };
  add(1, 4, 16, 16);
  add(s.channels * ((int64_t{1} << s.columns) + s.rows), 2, -6000, 6000);
  for (int i = 0; i < 2 * s.blocks; ++i) {
    add(int64_t(s.channels) * s.kernel * s.channels, 1, -128, 127);
    add(s.channels, 4, -5000, 5000);
    add(s.channels, 4, 0, 6);
    add(s.channels, 2, 0, 32767);
  }
  add(int64_t(s.hidden) * s.rows * s.channels, 1, -128, 127);
  add(s.hidden, 4, -5000, 5000);
  add(s.hidden, 4, 0, 6);
  add(int64_t(s.outputs) * s.hidden, 2, -20000 / s.hidden, 20000 / s.hidden);
  add(s.outputs, 4, -5000, 5000);
  return bytes;
}

void check(const BoardNetworkSizes& sizes, PlacementModel model, int plies) {
  const std::vector<uint8_t> bytes = drawn_weights(sizes);
  const auto network = unpack(sizes, bytes.data(), bytes.size());
  const auto rules =
      compile(sample_rules(model, sizes.columns, sizes.rows, KEY_LEFT | KEY_RIGHT | KEY_DOWN | KEY_DROP));
  Agent agent{};
  agent.pieces_known = sizes.outputs > 1 ? 2 : 1;
  agent.plies = plies;
  agent.value.kind = ValueKind::board_network;
  agent.value.board_network = &network->data;
  std::vector<const Kernels*> all = supported_kernels();
  all.push_back(&emulated_kernels);
  std::vector<Outcome> first;
  for (const Kernels* kernels : all) {
    std::vector<Outcome> outcomes(3);
    Batch batch{};
    batch.seed = 5;
    batch.games = 3, batch.max_pieces = plies == 1 ? 12 : 3;
    batch.outcomes = outcomes.data();
    play(*kernels, rules->rules, agent, batch, 1, [] { return true; });
    CHECK(batch.games_done == 3);
    if (first.empty()) first = outcomes;
    for (size_t i = 0; i < outcomes.size(); ++i) {
      CHECK(outcomes[i].lines == first[i].lines);
      CHECK(outcomes[i].pieces == first[i].pieces);
      CHECK(outcomes[i].placements == first[i].placements);
    }
  }
}

void check_refusals() {
  const BoardNetworkSizes sizes{5, 8, 9, 3, 1, 5, 7};
  const auto refuses = [&](BoardNetworkSizes changed, size_t count) {
    const std::vector<uint8_t> bytes = drawn_weights(sizes);
    try {
      unpack(changed, bytes.data(), count);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  const size_t count = drawn_weights(sizes).size();
  CHECK(!refuses(sizes, count));
  CHECK(refuses(sizes, count - 1));
  CHECK(refuses({5, 8, 9, 2, 1, 5, 7}, count));
  CHECK(refuses({5, 8, 257, 3, 1, 5, 7}, count));
  CHECK(refuses({5, 8, 9, 3, 0, 5, 7}, count));
  CHECK(refuses({5, 8, 9, 3, 1, 5, 3}, count));
}

}  // namespace

int main() {
  check({10, 20, 32, 3, 2, 40, 7}, PlacementModel::reachable, 1);
  check({10, 20, 33, 5, 1, 64, 1}, PlacementModel::drop, 1);
  check({16, 32, 8, 7, 2, 5, 7}, PlacementModel::drop, 1);
  check({4, 6, 70, 1, 3, 33, 7}, PlacementModel::reachable, 1);
  check({5, 8, 9, 3, 1, 5, 7}, PlacementModel::reachable, 2);
  check({5, 8, 9, 3, 1, 5, 1}, PlacementModel::drop, 2);
  check({4, 6, 4, 3, 1, 4, 7}, PlacementModel::reachable, 3);
  check_refusals();
}
