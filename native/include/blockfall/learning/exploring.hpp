// Random actions.
#pragma once

#include "../game.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// Draws a placement of the known piece: each one replaces the one found so far with probability 1 / (placements so
// far).
inline Placement any_placement(const Rules& rules, const Game& game, Stream& choices) {
  Placement found{};
  uint32_t seen = 0;
  for_each_placement(rules, game.board, rules.piece[game.known[0]], game.outcome.lines,
                     [&](const Shape& shape, int x, int y) {
                       if (draw_below(choices, ++seen) == 0)
                         found = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                     });
  return found;
}

}  // namespace blockfall::BLOCKFALL_ARCH
