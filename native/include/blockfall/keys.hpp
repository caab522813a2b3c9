// The shortest key sequence to a placement.
//
// A breadth-first search in layers: layer n holds every position that n keys reach and no fewer, all rows of a column
// in one word. Where gravity moves the piece (a limit of keys per row), falling costs no key, and positions are kept
// apart by the keys already used in their row.
#pragma once

#include <vector>

#include "placements.hpp"

namespace blockfall {

class KeySearch {
 public:
  KeySearch(const Rules& rules, const Board& board, const Piece& piece, int level);

  // The keys that bring the piece to rest there, the locking one included; empty when none do. Where gravity moves
  // the piece, KEY_DOWN stands for one row fallen.
  std::vector<Key> to(int shape, int x, int y) const;

 private:
  struct Place {
    int layer, used, state, x, y;
  };

  bool reached(const Place& place) const;
  bool is_spawn(const Place& place) const;
  Key step_back(Place& place) const;  // to where the last key was pressed

  const Rules& rules_;
  const Board& board_;
  const Piece& piece_;
  int limit_;
  PositionSet free_;
  std::vector<std::vector<PositionSet>> layers_;  // by keys pressed, then by keys used in the row (0 without a limit)
};

}  // namespace blockfall
