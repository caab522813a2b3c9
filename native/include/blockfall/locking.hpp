// The effects of locking a piece: it may lose the game, it fills cells, full rows are removed, and lines and pieces
// earn points. All play on single boards locks pieces here; settle.hpp does the same in lanes.
#pragma once

#include "outcome.hpp"
#include "rules.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// How the game ends, if it does, when a shape locks at row y. A placement that loses removes no rows.
inline Termination loss_by_lock(const Rules& rules, const Shape& shape, int y) {
  if (y <= shape.highest_row) return Termination::running;
  if (rules.overflow_loses && y + shape.height > rules.height_limit) return Termination::overflow;
  return Termination::lock_out;
}

// Fills a placement's cells and removes full rows. Cells above the top row vanish. Returns the rows that were full.
inline uint32_t lock_and_clear(const Rules& rules, Board& board, const Shape& shape, int x, int y) {
  const Board& slot = rules.slot[shape.first_slot + x];
  const uint32_t inside = rows_mask(rules.rows);
  for (int i = 0; i < max_columns; ++i) board.column[i] |= (slot.column[i] << y) & inside;
  const uint32_t full = full_rows(board.column, rules.columns);
  remove_rows(board.column, full, rules.columns);
  return full;
}

inline int level_at(const Rules& rules, int64_t lines) {
  return rules.start_level + int(lines / rules.lines_per_level);
}

// The factor for the points of lines, after this many lines.
inline uint32_t level_factor(const Rules& rules, int64_t lines) {
  return rules.score_by_level ? uint32_t(level_at(rules, lines) + 1) : 1;
}

// The number of lines removed at once, as points and counts use it. Only on a board that was set up with full rows can
// it exceed the rows of a piece.
inline int counted_lines(int lines) { return lines < cells_per_piece ? lines : cells_per_piece; }

// The points of a piece that removed `lines` lines after `lines_before` earlier ones.
inline int64_t points(const Rules& rules, int lines, int64_t lines_before) {
  if (lines == 0) return rules.piece_score;
  return rules.piece_score + rules.line_score[counted_lines(lines) - 1] * level_factor(rules, lines_before);
}

}  // namespace blockfall::BLOCKFALL_ARCH
