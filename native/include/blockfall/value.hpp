// The value of boards that a piece has just been locked on: remove full rows, and weigh the agent's features, all
// lanes at once.
#pragma once

#include "contour.hpp"
#include "custom.hpp"
#include "features.hpp"
#include "network.hpp"
#include "rules.hpp"

namespace blockfall {

// An agent: a weighted sum of its features, a network over them, or a table and no features. Values are binary32,
// summed in the agent's feature order, so that every back end agrees to the bit.
struct Agent {
  int32_t features;
  uint16_t feature[max_features];  // of the catalogue; past its end, of `custom`
  float weight[max_features];      // where it has no network
  Network network;
  const float* table;  // of placements (table.hpp); null where it has none
  uint32_t needs;      // of all its features together
  CustomFeature custom[max_custom];
  int32_t* failed;  // set to 1 + its place in `custom` when one gives a value that is no finite number

  int32_t pieces_known;
  // Against towers (aveiro2020): on a board this high and this bumpy only placements at the sides are considered.
  bool guards;
  int32_t guard_height, guard_bumpiness;
  // The best so many lines of play are valued by the mean, over the generator's law, of what the next piece, which
  // nobody knows yet, can make of them; 0 for none. A piece that has no placement counts `loss`.
  int32_t best_lines;
  float loss;
};

inline constexpr int max_best_lines = 128;

namespace BLOCKFALL_ARCH {

// A piece on its board: how far its cells reach, and how many are in each row.
struct LockedPiece {
  Word bottom;     // its lowest row
  Word extent;     // rows above that
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

// Cells of the piece in full rows.
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
inline void find_shared_parts(uint32_t needs, Position<Columns>& p) {
  if (needs & NEEDS_HEIGHTS) find_heights(p.board);
  if (needs & NEEDS_HOLES) find_holes(p.board);
  if (needs & NEEDS_HEIGHTS_BEFORE) find_heights(p.before);
  if (needs & NEEDS_ROW_COUNTS) p.row_counts = count_in_rows(p.columns(), [&](int i) { return p.board.column(i); });
  if (needs & NEEDS_AREAS) find_areas(p);
}

template <int Columns>
inline void add_line_points(const Rules& rules, Word lines, Position<Columns>& p) {
  Word points = splat(0);
  for (int n = 1; n <= cells_per_piece; ++n)
    points = select(greater(lines, splat(uint32_t(n - 1))), splat(uint32_t(rules.line_score[n - 1])), points);
  p.fact[FACT_POINTS] = p.fact[FACT_POINTS] + multiply(points, p.fact[FACT_LEVEL_FACTOR]);
}

// From the cells as they locked, in p.board, and the path before this piece, in the facts of p: adds this piece's
// facts, removes full rows and finds the shared parts.
template <int Columns>
inline void settle(const Rules& rules, const LockedPiece& piece, uint32_t needs, Position<Columns>& p) {
  const int columns = p.columns();
  p.rules = &rules;
  const Word inside = splat(rows_mask(rules.rows));
  p.board.column(-1) = p.board.column(columns) = inside;
  p.fact[FACT_LOCK_HEIGHT] = p.fact[FACT_LOCK_HEIGHT] + piece.bottom;
  p.fact[FACT_LANDING_HEIGHT] = p.fact[FACT_LANDING_HEIGHT] + (piece.bottom << 1) + piece.extent;
  Word cells = p.fact[FACT_CELLS] + splat(cells_per_piece);
  if (!rules.overflow_loses && any(greater(piece.bottom + piece.extent, splat(uint32_t(rules.rows - 1)))))
    for (int i = 0; i < columns; ++i) {  // cells above the top are lost
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
    p.fact[FACT_LINES] = p.fact[FACT_LINES] + lines;
    p.fact[FACT_ERODED] = p.fact[FACT_ERODED] + multiply(lines, cells_in_rows(piece, full));
    cells = cells - multiply(lines, splat(uint32_t(columns)));
    if (needs & NEEDS_POINTS) add_line_points(rules, lines, p);
    remove_full_rows(p.board, full);
  }
  p.fact[FACT_CELLS] = cells;
  if (needs & NEEDS_POINTS) p.fact[FACT_POINTS] = p.fact[FACT_POINTS] + splat(uint32_t(rules.piece_score));
  find_shared_parts(needs, p);
}

// A user's feature for the lanes in use; the others get 0.
template <int Columns>
inline Real custom_value(const Position<Columns>& p, const Agent& agent, int custom, Word landing_row,
                         uint32_t in_use) {
  alignas(64) uint32_t column[max_columns][lanes], lines[lanes], row[lanes];
  alignas(64) float values[lanes] = {};
  for (int i = 0; i < p.columns(); ++i) store(column[i], p.board.column(i));
  store(lines, p.fact[FACT_LINES]);
  store(row, landing_row);
  for (int n = 0; n < lanes; ++n) {
    if (!((in_use >> n) & 1)) continue;
    BoardView view{p.columns(), p.rows(), int32_t(lines[n]), int32_t(row[n]), {}, {}};
    for (int i = 0; i < p.columns(); ++i) {
      view.words[i] = column[i][n];
      view.heights[i] = height(column[i][n]);
    }
    values[n] = agent.custom[custom](&view);
    if (!(values[n] - values[n] == 0)) __atomic_store_n(agent.failed, custom + 1, __ATOMIC_RELAXED);
  }
  return load_real(values);
}

template <int Columns>
inline Real feature_value(const Position<Columns>& p, const Agent& agent, int feature, Word landing_row,
                          uint32_t in_use) {
  if (feature >= Catalogue::count) return custom_value(p, agent, feature - Catalogue::count, landing_row, in_use);
  return Catalogue::function<Position<Columns>>[feature](p);
}

// How many numbers make one of its kind: a weight per feature, all of the network, or all of the table.
inline int parameters_of(const Agent& agent) {
  if (agent.table) return table_entries;
  return agent.network.layers ? parameters_of(agent.network, agent.features) : agent.features;
}

// `in_use` has a bit for every lane whose value matters.
template <int Columns>
inline Real value_of(const Rules& rules, const Agent& agent, const LockedPiece& piece, uint32_t in_use,
                     Position<Columns>& p) {
  settle(rules, piece, agent.needs, p);
  if (agent.network.layers) {
    Real inputs[max_features];
    for (int i = 0; i < agent.features; ++i)
      inputs[i] = feature_value(p, agent, agent.feature[i], piece.bottom, in_use);
    return network_value(agent.network, inputs, agent.features);
  }
  Real sum = splat_real(agent.weight[0]) * feature_value(p, agent, agent.feature[0], piece.bottom, in_use);
  for (int i = 1; i < agent.features; ++i)
    sum = sum + splat_real(agent.weight[i]) * feature_value(p, agent, agent.feature[i], piece.bottom, in_use);
  return sum;
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
