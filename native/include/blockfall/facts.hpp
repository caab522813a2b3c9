// What is counted along a line of play, up to a board. With several pieces known, summed over them.
#pragma once

#include "limits.hpp"

namespace blockfall {

enum Fact : uint8_t {
  FACT_LINES,
  FACT_LOCK_HEIGHT,     // rows of the pieces' lowest cells, floor row 0
  FACT_LANDING_HEIGHT,  // rows of the pieces' middles, doubled
  FACT_ERODED,          // per piece: lines removed times its cells removed with them
  FACT_CELLS,           // filled cells of the board
  FACT_POINTS,
  FACT_LEVEL_FACTOR,  // what the next piece's lines are multiplied by
  FACT_GAME_LINES,    // removed in the game before the line of play
};
inline constexpr int fact_count = 8;

struct Path {
  uint32_t fact[fact_count];
};

}  // namespace blockfall
