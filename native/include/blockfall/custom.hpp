// A user's own feature: a C function that the core calls for each board. Numba compiles it from Python; without Numba,
// it is a callback into the interpreter.
#pragma once

#include "sizes.hpp"

namespace blockfall {

// The board as such a function sees it, after full rows are removed.
struct BoardView {
  int32_t columns, rows;
  int32_t lines_cleared;  // by the pieces placed
  int32_t landing_row;    // of the last piece's lowest cell, floor row 0
  int32_t heights[max_columns];
  uint32_t words[max_columns];  // bit 0 is the floor row
};

using CustomFeature = float (*)(const BoardView*);

}  // namespace blockfall
