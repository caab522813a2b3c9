// The features of boards, one row of numbers per board.
#pragma once

#include "game.hpp"
#include "last_piece.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int Columns>
inline void measure_columns(const Rules& rules, const FeatureSet& features, const Candidate* candidates, int64_t n,
                            float* out) {
  for (int64_t from = 0; from < n; from += lanes) {
    const int together = int(n - from < lanes ? n - from : lanes);
    WaitingBoards<lanes> boards{};
    alignas(64) uint32_t row[lanes] = {}, extent[lanes] = {}, row_cells[lanes] = {};
    for (int i = 0; i < together; ++i) {
      const Candidate& c = candidates[from + i];
      const Shape& shape = rules.piece[c.placement.piece].shape[c.placement.shape];
      row[i] = c.placement.y, extent[i] = shape.height - 1u, row_cells[i] = shape.packed_row_cells;
      add_board(c.board, c.path, boards);
      for (int k = 0; k < shape.width; ++k) boards.board[i][c.placement.x + k] |= shape.column[k] << c.placement.y;
    }
    Afterstates<Columns> p;
    p.board.run_time_columns = rules.columns;
    transpose(boards.board, p.columns(), &p.board.column(0));
    transpose(boards.path, path_counts, p.path);
    settle(rules, {load(row), load(extent), load(row_cells)}, features.needs, p);
    const auto in_use = uint32_t((uint64_t{1} << together) - 1);
    for (int f = 0; f < features.count; ++f) {
      alignas(64) float values[lanes];
      store(values, feature_value(p, features, f, load(row), in_use));
      for (int i = 0; i < together; ++i) out[(from + i) * features.count + f] = values[i];
    }
  }
}

// Adds walls and shared parts to the boards in p.board as they stand, with no piece placed.
template <int Columns>
inline void stand(const Rules& rules, uint32_t needs, Afterstates<Columns>& p) {
  p.rules = &rules;
  p.board.column(-1) = p.board.column(p.columns()) = splat(rows_mask(rules.rows));
  p.before.run_time_columns = rules.columns;
  for (int i = -1; i <= p.columns(); ++i) p.before.column(i) = p.board.column(i);
  find_shared_parts(needs, p);
}

// Measures the games' boards as they stand. The rows of `out` are `stride` numbers apart.
template <int Columns>
inline void measure_games_columns(const Rules& rules, const FeatureSet& features, const Game* games, int64_t n,
                                  float* out, int64_t stride) {
  alignas(64) uint32_t words[lanes][max_columns], cells[lanes] = {};
  for (auto& board : words)
    for (uint32_t& word : board) word = 0;
  Afterstates<Columns> p;
  p.board.run_time_columns = rules.columns;
  for (Word& count : p.path) count = splat(0);
  for (int64_t from = 0; from < n; from += lanes) {
    const int together = int(n - from < lanes ? n - from : lanes);
    for (int i = 0; i < together; ++i) {
      const Game& game = games[from + i];
      for (int x = 0; x < max_columns; ++x) words[i][x] = game.board.column[x];
      cells[i] = uint32_t(game.cells);
    }
    transpose(words, p.columns(), &p.board.column(0));
    p.path[PATH_CELLS] = load(cells);
    stand(rules, features.needs, p);
    const auto in_use = uint32_t((uint64_t{1} << together) - 1);
    for (int f = 0; f < features.count; ++f) {
      alignas(64) float values[lanes];
      store(values, feature_value(p, features, f, splat(0), in_use));
      for (int i = 0; i < together; ++i) out[(from + i) * stride + f] = values[i];
    }
  }
}

template <int Columns>
inline void measure_board_columns(const Rules& rules, const FeatureSet& features, const Board& board, float* out) {
  Afterstates<Columns> p;
  p.board.run_time_columns = rules.columns;
  for (Word& count : p.path) count = splat(0);
  for (int i = 0; i < p.columns(); ++i) p.board.column(i) = splat(board.column[i]);
  p.path[PATH_CELLS] = splat(uint32_t(count_cells(rules, board)));
  stand(rules, features.needs, p);
  for (int f = 0; f < features.count; ++f) {
    alignas(64) float values[lanes];
    store(values, feature_value(p, features, f, splat(0), 1u << (lanes - 1)));
    out[f] = values[lanes - 1];
  }
}

}  // namespace blockfall::BLOCKFALL_ARCH
