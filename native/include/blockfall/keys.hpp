// The shortest key sequence to a placement.
//
// A breadth-first search in layers: layer n holds every pose that takes n keys to reach, all rows of a column in one
// word. If gravity moves the piece (a limit of keys per row), falling costs no key, and poses are kept apart by the
// number of keys already used in their row.
#pragma once

#include <vector>

#include "placements.hpp"

namespace blockfall {

class KeySearch {
 public:
  KeySearch(const Rules& rules, const Board& board, const Piece& piece, int64_t lines);

  // The keys that bring the piece to rest there, including the one that locks it; empty if there are none. If gravity
  // moves the piece, KEY_DOWN stands for falling one row.
  std::vector<Key> to(int shape, int x, int y) const;

 private:
  struct Place {
    int layer, used, state, x, y;
  };

  void add_fallen(std::vector<scalar::PoseSet>& layer) const;
  bool reached(const Place& place) const;
  bool is_spawn(const Place& place) const;
  Key step_back(Place& place) const;  // to where the last key was pressed

  const Rules& rules_;
  scalar::Boards board_;
  const Piece& piece_;
  int limit_;  // keys per row; 0 if falling is a key like any other
  scalar::PoseSet free_;
  std::vector<std::vector<scalar::PoseSet>>
      layers_;  // by keys pressed, then by keys used in the row (0 without a limit)
};

}  // namespace blockfall
