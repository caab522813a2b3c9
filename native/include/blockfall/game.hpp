// A game between two placements: the board, the pieces known, and what has been counted.
#pragma once

#include "facts.hpp"
#include "outcome.hpp"
#include "placements.hpp"
#include "randomizer.hpp"

namespace blockfall {

struct Game {
  Board board;
  Generator generator;
  uint8_t known[max_known];  // known[0] is the piece to place; no_piece past a script's end
  int32_t pieces_known;
  int32_t cells;
  Outcome outcome;
};

struct Placement {
  uint8_t piece, shape, x, y;
};

// Some placements of one piece: a bit per row, by shape and column.
struct PlacementSet {
  uint64_t rows[max_states][max_columns];

  bool has(int shape, int x, int y) const { return (rows[shape][x] >> y) & 1; }
  void add(const Placement& p) { rows[p.shape][p.x] |= uint64_t{1} << p.y; }
};

// A line of play up to its last piece, and the placement of that piece.
struct Candidate {
  Board board;
  Path path;
  Placement placement;
};

namespace BLOCKFALL_ARCH {

inline int level(const Rules& rules, const Game& game) { return level_at(rules, game.outcome.lines); }

// Whether locking there ends the game. Such a placement removes no rows.
inline Termination loss_by_lock(const Rules& rules, const Shape& shape, int y) {
  if (y <= shape.highest_row) return Termination::running;
  if (rules.overflow_loses && y + shape.height > rules.height_limit) return Termination::overflow;
  return Termination::lock_out;
}

// Adds a placement's cells; those above the top row are lost.
inline void lock(const Rules& rules, Board& board, const Shape& shape, int x, int y) {
  const Board& slot = rules.slot[shape.first_slot + x];
  const uint32_t inside = rows_mask(rules.rows);
  for (int i = 0; i < max_columns; ++i) board.column[i] |= (slot.column[i] << y) & inside;
}

// Whether the piece can appear.
inline bool has_room(const Board& board, const Piece& piece) {
  const Shape& shape = piece.shape[0];
  uint32_t taken = 0;
  for (int i = 0; i < cells_per_piece; ++i)
    taken |= board.column[piece.spawn_column + shape.cell_column[i]] >> shape.cell_row[i];
  return !((taken >> piece.spawn_row) & 1);
}

inline int count_cells(const Rules& rules, const Board& board) {
  int cells = 0;
  for (int i = 0; i < rules.columns; ++i) cells += bit_count(board.column[i]);
  return cells;
}

inline void end_if_stuck(const Rules& rules, Game& game) {
  if (game.known[0] == no_piece)
    game.outcome.termination = Termination::sequence_end;
  else if (rules.block_out_loses && !has_room(game.board, rules.piece[game.known[0]]))
    game.outcome.termination = Termination::block_out;
}

inline uint8_t deal_after(const Rules& rules, Game& game, int frames) {
  pass_frames(game.generator, rules, frames);
  return deal(game.generator, rules);
}

inline Game start_game(const Rules& rules, Purpose purpose, uint64_t seed, uint64_t number, int pieces_known,
                       const Board& board = {}) {
  Game game{};
  game.board = board;
  game.cells = count_cells(rules, board);
  game.generator = make_generator(rules, purpose, seed, number);
  game.pieces_known = pieces_known;
  for (int i = 0; i < pieces_known; ++i) game.known[i] = deal_after(rules, game, rules.frames_per_piece);
  end_if_stuck(rules, game);
  return game;
}

// What a line's points are multiplied by after so many lines.
inline uint32_t level_factor(const Rules& rules, int64_t lines) {
  return rules.score_by_level ? uint32_t(level_at(rules, lines) + 1) : 1;
}

// Lines that go at once, as points know them: more than a piece has rows go only where a drawn board has full ones.
inline int counted_lines(int lines) { return lines < cells_per_piece ? lines : cells_per_piece; }

// Of a piece that removed so many lines after `lines_before`.
inline int64_t points(const Rules& rules, int lines, int64_t lines_before) {
  if (lines == 0) return rules.piece_score;
  return rules.piece_score + rules.line_score[counted_lines(lines) - 1] * level_factor(rules, lines_before);
}

// Where a line of play begins.
inline Path start_path(const Rules& rules, const Game& game) {
  Path path{};
  path.fact[FACT_CELLS] = uint32_t(game.cells);
  path.fact[FACT_LEVEL_FACTOR] = level_factor(rules, game.outcome.lines);
  path.fact[FACT_GAME_LINES] = uint32_t(game.outcome.lines);
  return path;
}

// Locks the known piece there, removes full rows and counts. False when that ends the game.
inline bool lock_piece(const Rules& rules, Game& game, const Placement& placement) {
  const Shape& shape = rules.piece[game.known[0]].shape[placement.shape];
  Outcome& outcome = game.outcome;
  ++outcome.pieces;
  outcome.termination = loss_by_lock(rules, shape, placement.y);
  if (outcome.termination != Termination::running) return false;
  lock(rules, game.board, shape, placement.x, placement.y);
  int lines = 0;
  if (const uint32_t full = full_rows(game.board, rules.columns)) {
    lines = bit_count(full);
    remove_rows(game.board, full, rules.columns);
    ++outcome.clears[counted_lines(lines) - 1];
  }
  outcome.score += points(rules, lines, outcome.lines);
  outcome.lines += lines;
  game.cells = count_cells(rules, game.board);
  return true;
}

// The next piece comes up, and one more is shown at the end of those known.
inline void next_piece(const Rules& rules, Game& game, int frames) {
  for (int i = 1; i < game.pieces_known; ++i) game.known[i - 1] = game.known[i];
  game.known[game.pieces_known - 1] = deal_after(rules, game, frames);
  end_if_stuck(rules, game);
}

inline void play(const Rules& rules, Game& game, const Placement& placement) {
  if (lock_piece(rules, game, placement)) next_piece(rules, game, rules.frames_per_piece);
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
