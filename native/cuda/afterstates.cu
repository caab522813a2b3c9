// Every placement of pieces on boards, and the board after each, for learning on a GPU. Compiled at run time
// (src/blockfall/compute/cuda/afterstates.py) for one rule set:
//
//     BLOCKFALL_COLUMNS   the board's width
//     BLOCKFALL_DROPS     whether pieces drop straight down
//     BLOCKFALL_ROOM      the most placements for each pair of a board and a piece
#include "blockfall/game.hpp"
#include "device.hpp"

namespace blockfall::cuda {

// The results. Placement n of pair p is at index p * BLOCKFALL_ROOM + n.
struct Arrays {
  uint32_t* words;  // BLOCKFALL_COLUMNS each: the board without full rows; unchanged if the placement loses
  int8_t* lines;    // lines removed
  int32_t* action;  // the placement's number; -1 if there is none
  uint8_t* lost;    // 1 if the placement loses the game
};

inline void write_none(const Arrays& out, int64_t at) {
  for (int i = 0; i < BLOCKFALL_COLUMNS; ++i) out.words[at * BLOCKFALL_COLUMNS + i] = 0;
  out.lines[at] = 0, out.action[at] = -1, out.lost[at] = 0;
}

inline void write(const Rules& rules, const uint32_t board[], const Shape& shape, int x, int y, const Arrays& out,
                  int64_t at) {
  const Board& slot = rules.slot[shape.first_slot + x];
  const uint32_t inside = rows_mask(rules.rows);
  const bool lost = y > shape.highest_row;
  uint32_t column[BLOCKFALL_COLUMNS];
  for (int i = 0; i < BLOCKFALL_COLUMNS; ++i) column[i] = board[i] | (lost ? 0 : (slot.column[i] << y) & inside);
  const uint32_t full = lost ? 0 : full_rows(column, BLOCKFALL_COLUMNS);
  remove_rows(column, full, BLOCKFALL_COLUMNS);
  for (int i = 0; i < BLOCKFALL_COLUMNS; ++i) out.words[at * BLOCKFALL_COLUMNS + i] = column[i];
  out.lines[at] = int8_t(bit_count(full));
  out.action[at] = int32_t(action_of(rules, {shape.piece, shape.number, uint8_t(x), uint8_t(y)}));
  out.lost[at] = lost;
}

// Runs one thread per pair and placement under rules with straight drops, one thread per pair under rules with keys.
// `lines` were removed in each pair's game before (null: none); `count` is the number of each pair's placements, which
// may be more than BLOCKFALL_ROOM.
extern "C" __global__ void find_afterstates(const Rules* rules, const uint32_t* words, const uint8_t* pieces,
                                            const int64_t* lines, int64_t pairs, uint32_t* out_words, int8_t* out_lines,
                                            int32_t* out_action, uint8_t* out_lost, int32_t* count) {
  const Arrays out{out_words, out_lines, out_action, out_lost};
  const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t pair = BLOCKFALL_DROPS ? thread / BLOCKFALL_ROOM : thread;
  if (pair >= pairs) return;
  const bool has_piece = pieces[pair] < piece_kinds;
  const Piece& piece = rules->piece[has_piece ? pieces[pair] : 0];
  const uint32_t* column = words + pair * BLOCKFALL_COLUMNS;
#if BLOCKFALL_DROPS
  const int number = int(thread % BLOCKFALL_ROOM), found = has_piece ? piece.slots.count : 0;
  if (number == 0) count[pair] = found;
  if (number >= found) return write_none(out, thread);
  const Shape& shape = piece.shape[piece.slots.shape[number]];
  const int x = piece.slots.x[number];
  write(*rules, column, shape, x, drop_row(column, shape, x), out, thread);
#else
  Board board{};
  for (int i = 0; i < BLOCKFALL_COLUMNS; ++i) board.column[i] = column[i];
  int found = 0;
  if (has_piece)
    for_each_placement(*rules, board, piece, lines ? lines[pair] : 0, [&](const Shape& shape, int x, int y) {
      if (found < BLOCKFALL_ROOM) write(*rules, column, shape, x, y, out, pair * BLOCKFALL_ROOM + found);
      ++found;
    });
  count[pair] = found;
  for (int n = found; n < BLOCKFALL_ROOM; ++n) write_none(out, pair * BLOCKFALL_ROOM + n);
#endif
}

}  // namespace blockfall::cuda
