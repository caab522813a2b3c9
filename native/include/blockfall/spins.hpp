// Spins of the T piece by the three-corner rule of the Tetris Guideline.
//
// A T whose last move is a turn is a spin if at least three of the four cells diagonal to its centre are taken; walls
// and the floor count as taken. It is a full spin if both corners beside its stem are taken, or if the turn needed the
// last kick test; otherwise it is a mini spin.
//
//     A.B      A and B are the corners beside the stem: the front
//     ###      of a T that points up
//     C.D
#pragma once

#include <vector>

#include "placements.hpp"

namespace blockfall {

enum class Spin : uint8_t { none, mini, full };

struct SpinPlacement {
  uint8_t shape, x, y;
  Spin spin;
};

// Every spin that the keys can reach from the spawn. There are none if pieces drop straight down or gravity limits the
// keys.
std::vector<SpinPlacement> find_spins(const Rules& rules, const Board& board);

}  // namespace blockfall
