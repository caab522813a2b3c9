// The result of a finished game.
#pragma once

#include "sizes.hpp"

namespace blockfall {

enum class Termination : uint8_t {
  running,
  overflow,      // the stack passed the height limit
  block_out,     // the next piece had no room to appear
  lock_out,      // a piece locked wholly above the visible rows
  piece_limit,   // the caller's limit, so the counts are lower bounds
  sequence_end,  // a scripted sequence ran out
  interrupted,
  forfeited,  // the player gave no move
  estimated,  // not played to its end (estimate.hpp)
};

struct Outcome {
  int64_t lines, pieces, placements, score;
  int64_t clears[cells_per_piece];  // by number of lines
  Termination termination;
};

}  // namespace blockfall
