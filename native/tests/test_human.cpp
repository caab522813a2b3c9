// A person's game survives any keys, and the same keys give the same game.
#include <random>

#include "blockfall/human.hpp"
#include "check.hpp"
#include "sample_rules.hpp"

using namespace blockfall;
using namespace blockfall::scalar;

int main() {
  const int keys = KEY_LEFT | KEY_RIGHT | KEY_DOWN | KEY_CLOCKWISE | KEY_COUNTER_CLOCKWISE | KEY_DROP;
  for (int round = 0; round < 40; ++round) {
    RulesDescription description = sample_rules(PlacementModel::reachable, 4 + round % 13, 12 + round % 20, keys, true);
    description.hold = round % 2;
    description.lock_delay = round % 3 * 15;
    description.lock_resets = 15;
    description.previews = round % 8;
    description.frames_per_row = {20'000, 300};
    const auto compiled = compile(description);
    std::mt19937 random_bits{unsigned(round)};
    HumanGame first = start_human_game(compiled->rules, unsigned(round), {10, round % 3});
    HumanGame second = first;
    for (int frame = 0; frame < 20'000; ++frame) {
      const auto held = uint8_t(random_bits() & random_bits());
      step(compiled->rules, first, held);
      step(compiled->rules, second, held);
      CHECK(first.y >= 0 && first.x >= 0);
    }
    CHECK(first.game.outcome.termination != Termination::running);
    CHECK(first.game.outcome.score == second.game.outcome.score);
    CHECK(first.frame == second.frame);
  }
}
