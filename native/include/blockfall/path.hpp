// The counts along a sequence of placements, from the game's board to the last placement. Each count is a sum over the
// placed pieces.
#pragma once

#include "sizes.hpp"

namespace blockfall {

enum PathCount : uint8_t {
  PATH_LINES,
  PATH_LOCK_HEIGHT,     // rows of the pieces' lowest cells, floor row 0
  PATH_LANDING_HEIGHT,  // rows of the pieces' middles, doubled
  PATH_ERODED,          // per piece: lines removed times its cells removed with them
  PATH_CELLS,           // filled cells of the board
  PATH_POINTS,
  PATH_LEVEL_FACTOR,  // the next piece's points for lines are multiplied by this
  PATH_GAME_LINES,    // removed in the game before the sequence begins
};
inline constexpr int path_counts = 8;

struct Path {
  uint32_t count[path_counts];
};

}  // namespace blockfall
