// From boards with a newly locked piece to afterstates: full rows are removed and the path's counts updated, all lanes
// at once. locking.hpp does the same for a single board.
#pragma once

#include "afterstates.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// A piece on its board: the rows that it spans, and the number of its cells in each row.
struct LockedPiece {
  Word bottom;     // its lowest row
  Word extent;     // rows above the lowest one
  Word row_cells;  // as Shape::packed_row_cells
};

template <int Columns>
inline void remove_full_rows(Stack<Columns>& stack, Word full) {
  const Word one = splat(1);
  do {  // the lowest full row of each lane; lanes without one shift nothing
    const Word below = (full & (splat(0) - full)) - one;
    for (int i = 0; i < stack.columns(); ++i) {
      const Word c = stack.column(i);
      stack.column(i) = (c & below) | and_not(c >> 1, below);
    }
    full = and_not(full >> 1, below);
  } while (any(full));
}

// The number of the piece's cells in full rows.
inline Word cells_in_rows(const LockedPiece& piece, Word full) {
  const Word relative = shift_right(full, piece.bottom);
  Word cells = splat(0);
  for (int row = 0; row < 4; ++row) {
    const Word is_full = splat(0) - ((relative >> row) & splat(1));
    cells = cells + (is_full & (piece.row_cells >> (4 * row)) & splat(15));
  }
  return cells;
}

template <int Columns>
inline void find_shared_parts(uint32_t needs, Afterstates<Columns>& p) {
  if (needs & NEEDS_HEIGHTS) find_heights(p.board);
  if (needs & NEEDS_HOLES) find_holes(p.board);
  if (needs & NEEDS_HEIGHTS_BEFORE) find_heights(p.before);
  if (needs & NEEDS_ROW_COUNTS) p.row_counts = count_in_rows(p.columns(), [&](int i) { return p.board.column(i); });
  if (needs & NEEDS_AREAS) find_areas(p);
}

template <int Columns>
inline void add_line_points(const Rules& rules, Word lines, Afterstates<Columns>& p) {
  Word points = splat(0);
  for (int n = 1; n <= cells_per_piece; ++n)
    points = select(greater(lines, splat(uint32_t(n - 1))), splat(uint32_t(rules.line_score[n - 1])), points);
  p.path[PATH_POINTS] = p.path[PATH_POINTS] + multiply(points, p.path[PATH_LEVEL_FACTOR]);
}

// Expects the board with the locked piece in p.board, and the path before this piece in p.path. Adds the piece to the
// path, removes full rows and finds the shared parts.
template <int Columns>
BLOCKFALL_INLINE void settle(const Rules& rules, const LockedPiece& piece, uint32_t needs, Afterstates<Columns>& p) {
  const int columns = p.columns();
  p.rules = &rules;
  const Word inside = splat(rows_mask(rules.rows));
  p.board.column(-1) = p.board.column(columns) = inside;
  p.path[PATH_LOCK_HEIGHT] = p.path[PATH_LOCK_HEIGHT] + piece.bottom;
  p.path[PATH_LANDING_HEIGHT] = p.path[PATH_LANDING_HEIGHT] + (piece.bottom << 1) + piece.extent;
  Word cells = p.path[PATH_CELLS] + splat(cells_per_piece);
  if (!rules.overflow_loses && any(greater(piece.bottom + piece.extent, splat(uint32_t(rules.rows - 1)))))
    for (int i = 0; i < columns; ++i) {  // cells above the top vanish
      cells = cells - popcount(and_not(p.board.column(i), inside));
      p.board.column(i) = p.board.column(i) & inside;
    }
  Word full = p.board.column(0);
  for (int i = 1; i < columns; ++i) full = full & p.board.column(i);

  if (needs & NEEDS_BEFORE) {
    p.before.run_time_columns = columns;
    for (int i = -1; i <= columns; ++i) p.before.column(i) = p.board.column(i);
  }
  if (any(full)) {
    const Word lines = popcount(full);
    p.path[PATH_LINES] = p.path[PATH_LINES] + lines;
    p.path[PATH_ERODED] = p.path[PATH_ERODED] + multiply(lines, cells_in_rows(piece, full));
    cells = cells - multiply(lines, splat(uint32_t(columns)));
    if (needs & NEEDS_POINTS) add_line_points(rules, lines, p);
    remove_full_rows(p.board, full);
  }
  p.path[PATH_CELLS] = cells;
  if (needs & NEEDS_POINTS) p.path[PATH_POINTS] = p.path[PATH_POINTS] + splat(uint32_t(rules.piece_score));
  find_shared_parts(needs, p);
}

}  // namespace blockfall::BLOCKFALL_ARCH
