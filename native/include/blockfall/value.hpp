// The value of candidate boards: place, remove full rows, and weigh the agent's features, all lanes at once.
#pragma once

#include "features.hpp"
#include "rules.hpp"

namespace blockfall {

// A linear agent. Values are binary32, summed in the agent's feature order, so that every back end agrees to the bit.
struct Agent {
  int32_t features;
  uint16_t feature[max_features];
  float weight[max_features];
  uint32_t needs;  // of all its features together
  int32_t pieces_known;
};

// What the pieces placed so far have added up to, on the way to a candidate.
struct Path {
  int32_t lines, lock_height, landing_height, eroded;  // as in Position
  int32_t cells;                                       // filled cells of the board
};

namespace BLOCKFALL_ARCH {

// As many candidates as there are lanes: boards with the last piece placed, before full rows are removed.
struct Candidates {
  alignas(64) uint32_t rows[lanes][max_columns];
  alignas(64) uint32_t lines[lanes];
  alignas(64) uint32_t lock_height[lanes];
  alignas(64) uint32_t landing_height[lanes];
  alignas(64) uint32_t eroded[lanes];
  alignas(64) uint32_t cells[lanes];
  alignas(64) uint32_t bottom[lanes];     // the last piece's lowest row
  alignas(64) uint32_t row_cells[lanes];  // its cells per row, four bits each
  int32_t count;
};

inline int visible_cells(const Rules& rules, const Shape& shape, int y) {
  int cells = 0;
  for (int row = 0; row < shape.height && y + row < rules.rows; ++row) cells += shape.row_cells[row];
  return cells;
}

inline void add_candidate(const Rules& rules, const Board& board, const Path& path, const Shape& shape, int x, int y,
                          Candidates& into) {
  const Board& slot = rules.slot[shape.first_slot + x];
  const uint32_t inside = rows_mask(rules.rows);
  const int n = into.count++;
  for (int i = 0; i < max_columns; ++i) into.rows[n][i] = board.column[i] | ((slot.column[i] << y) & inside);
  into.lines[n] = uint32_t(path.lines);
  into.lock_height[n] = uint32_t(path.lock_height + y);
  into.landing_height[n] = uint32_t(path.landing_height + 2 * y + shape.height - 1);
  into.eroded[n] = uint32_t(path.eroded);
  into.cells[n] = uint32_t(path.cells + visible_cells(rules, shape, y));
  into.bottom[n] = uint32_t(y);
  into.row_cells[n] = shape.packed_row_cells;
}

template <int Columns>
inline void remove_full_rows(Stack<Columns>& stack, Word full) {
  const Word one = splat(1);
  while (any(full)) {  // the lowest full row of each lane; lanes without one shift nothing
    const Word below = (full & (splat(0) - full)) - one;
    for (int i = 0; i < stack.columns(); ++i) {
      const Word c = stack.column(i);
      stack.column(i) = (c & below) | and_not(c >> 1, below);
    }
    full = and_not(full >> 1, below);
  }
}

// Cells of the last piece in full rows.
inline Word cells_in_rows(const Candidates& from, Word full) {
  const Word relative = shift_right(full, load(from.bottom)), packed = load(from.row_cells);
  Word cells = splat(0);
  for (int row = 0; row < 4; ++row) {
    const Word is_full = splat(0) - ((relative >> row) & splat(1));
    cells = cells + (is_full & (packed >> (4 * row)) & splat(15));
  }
  return cells;
}

template <int Columns>
inline void look_at(const Rules& rules, const Candidates& from, uint32_t needs, Position<Columns>& p) {
  p.rows = rules.rows;
  p.board.run_time_columns = p.before.run_time_columns = rules.columns;
  const int columns = p.columns();
  transpose(from.rows, columns, &p.board.column(0));
  p.board.column(-1) = p.board.column(columns) = splat(rows_mask(rules.rows));

  Word full = p.board.column(0);
  for (int i = 1; i < columns; ++i) full = full & p.board.column(i);
  p.lines = load(from.lines);
  p.lock_height = load(from.lock_height);
  p.landing_height = load(from.landing_height);
  p.eroded = load(from.eroded);
  p.cells = load(from.cells);

  if (needs & NEEDS_BEFORE)
    for (int i = -1; i <= columns; ++i) p.before.column(i) = p.board.column(i);
  if (any(full)) {
    const Word lines = popcount(full);
    p.lines = p.lines + lines;
    p.eroded = p.eroded + multiply(lines, cells_in_rows(from, full));
    p.cells = p.cells - multiply(lines, splat(uint32_t(columns)));
    remove_full_rows(p.board, full);
  }
  if (needs & NEEDS_HEIGHTS) find_heights(p.board);
  if (needs & NEEDS_HOLES) find_holes(p.board);
  if (needs & NEEDS_HEIGHTS_BEFORE) find_heights(p.before);
}

template <int Columns>
inline void value_of(const Rules& rules, const Agent& agent, const Candidates& candidates, float* values) {
  Position<Columns> p;
  look_at(rules, candidates, agent.needs, p);
  const auto& functions = Catalogue::function<Position<Columns>>;
  Real sum = splat_real(agent.weight[0]) * functions[agent.feature[0]](p);
  for (int i = 1; i < agent.features; ++i) sum = sum + splat_real(agent.weight[i]) * functions[agent.feature[i]](p);
  store(values, sum);
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
