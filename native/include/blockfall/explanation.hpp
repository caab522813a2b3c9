// The reason why an agent plays a placement: the best sequence that begins with it, up to its last piece. Look-ahead
// and the guard have no part in it.
#pragma once

#include "sequences.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// Returns false if every sequence that begins with `first` loses.
template <class Value>
inline bool explain(const Rules& rules, const Agent& agent, const Game& game, const Placement& first, float& value,
                    Candidate& candidate) {
  const Value valuing(rules, agent.value);
  Sequences<Value> sequences(rules);
  const int length = sequence_length(agent, game);
  const Piece& last = rules.piece[game.known[length - 1]];
  const auto is_first = [&](int shape, int x, int y) { return shape == first.shape && x == first.x && y == first.y; };
  const auto may_begin = [&](const Shape& shape, int x, int y) { return is_first(shape.number, x, y); };
  value = worst_value;
  uint64_t best_order = 0;
  sequences.for_each_batch(game, length, may_begin, [&] {
    auto placed = valuing.place(last, sequences.boards(), game.outcome.lines, false);
    placed.for_each_value([&](int n, uint32_t slot, uint32_t row, float found) {
      const Placement placement = placement_at(last, slot, row);
      if (length == 1 && !is_first(placement.shape, placement.x, placement.y)) return;
      const uint64_t order = sequences.order(n, slot, row);
      if (!(found > value || (found == value && found > worst_value && order < best_order))) return;
      value = found, best_order = order;
      candidate = sequences.candidate(n, placement);
    });
  });
  return value > worst_value;
}

}  // namespace blockfall::BLOCKFALL_ARCH
