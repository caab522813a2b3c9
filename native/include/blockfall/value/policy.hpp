// The interface between play and values: the values that a piece can reach on the boards that wait for it.
//
// A value is a policy: a class that is chosen once per batch of games (kinds.hpp), so that no loop asks which kind it
// is. It takes as many boards at once as it wants (`boards_at_once`), before the piece is placed, because:
//   - a weighted sum of features values one placement per lane (last_piece.hpp);
//   - a table looks only at the board before the placement;
//   - a network could share its first layers between the placements of one board;
//   - a function that values boards in batches can place the piece everywhere first and then be called once.
#pragma once

#include "../path.hpp"
#include "../rules.hpp"
#include "data.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The value of a lost game, and of a value that is not a number: minus infinity, for which no literal works on every
// compiler.
inline constexpr float worst_value = __builtin_bit_cast(float, 0xff800000u);

template <int Count>
struct WaitingBoards {
  alignas(64) uint32_t board[Count][max_columns];
  alignas(64) uint32_t path[Count][max_columns];  // the path to each board, path_counts words
  int32_t count = 0;
};

// The best placement of the piece on each board. If every placement loses, the value is `worst_value`.
template <int Count>
struct BestPlacements {
  alignas(64) float value[Count];
  alignas(64) uint32_t slot[Count], row[Count];
};

template <int Count>
inline void add_board(const Board& board, const Path& path, WaitingBoards<Count>& waiting) {
  uint32_t* columns = waiting.board[waiting.count];
  uint32_t* counts = waiting.path[waiting.count++];
  for (int i = 0; i < max_columns; ++i) columns[i] = board.column[i];
  for (int i = 0; i < path_counts; ++i) counts[i] = path.count[i];
}

// A policy V is made from the rules and the agent's ValueData. `place(piece, boards, lines, at_sides)` returns an
// object for all placements of the piece on the boards. `lines` were removed in the game before, and `at_sides` allows
// only placements that touch a wall. The object has
//   find_best(best)        finds the best placement on each board, among equals the first;
//   for_each_value(visit)  calls visit(board, slot, row, value) for every placement that does not lose, in any order;
//   placements()           after one of these: the number tried, including those that lose.
// `V::values_boards` says whether it values the board after the placement, which look-ahead can average.
// `V::parameters(data)` is the length of ValueData::parameters.
template <class V>
concept ValuePolicy = requires(const V& value, const Piece& piece, const WaitingBoards<V::boards_at_once>& boards,
                               BestPlacements<V::boards_at_once>& best, void (*visit)(int, uint32_t, uint32_t, float)) {
  value.place(piece, boards, int64_t{0}, false).placements();
  value.place(piece, boards, int64_t{0}, false).find_best(best);
  value.place(piece, boards, int64_t{0}, false).for_each_value(visit);
  V::parameters(ValueData{});
  requires V::boards_at_once > 0;
  V::values_boards;
};

// A policy with a search of its own has no `place`, but names that search, which has the interface of BestSequence
// (best_sequence.hpp).
template <class V>
concept SearchPolicy = requires {
  typename V::Search;
  V::parameters(ValueData{});
};

}  // namespace blockfall::BLOCKFALL_ARCH
