// A game between two placements: the board, the known pieces and the counts so far.
#pragma once

#include "outcome.hpp"
#include "path.hpp"
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

// A set of placements of one piece: a bit per row, by shape and column.
struct PlacementSet {
  uint64_t rows[max_states][max_columns];

  bool has(int shape, int x, int y) const { return (rows[shape][x] >> y) & 1; }
  void add(const Placement& p) { rows[p.shape][p.x] |= uint64_t{1} << p.y; }
};

// A sequence: the board and the path before its last piece, and the placement of that piece.
struct Candidate {
  Board board;
  Path path;
  Placement placement;
};

namespace BLOCKFALL_ARCH {

inline int level(const Rules& rules, const Game& game) { return level_at(rules, game.outcome.lines); }

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

BLOCKFALL_CALL_ON_GPU Game start_game(const Rules& rules, Purpose purpose, uint64_t seed, uint64_t number,
                                      int pieces_known, const Board& board = {}) {
  Game game{};
  game.board = board;
  game.cells = count_cells(rules, board);
  game.generator = make_generator(rules, purpose, seed, number);
  game.pieces_known = pieces_known;
  for (int i = 0; i < pieces_known; ++i) game.known[i] = deal_after(rules, game, rules.frames_per_piece);
  end_if_stuck(rules, game);
  return game;
}

// A game that goes on from this board. `dealt` holds all pieces so far; the last `pieces_known` of them are known but
// not placed yet. `lines` were removed before.
inline Game game_at(const Rules& rules, const Board& board, const uint8_t dealt[], int64_t count, int pieces_known,
                    int64_t lines, uint64_t seed) {
  Game game{};
  game.board = board;
  game.cells = count_cells(rules, board);
  game.generator = make_generator_after(rules, seed, dealt, count);
  game.pieces_known = pieces_known;
  for (int i = 0; i < pieces_known; ++i) game.known[i] = dealt[count - pieces_known + i];
  game.outcome.lines = lines;
  end_if_stuck(rules, game);
  return game;
}

// The path at the beginning of a sequence.
inline Path start_path(const Rules& rules, const Game& game) {
  Path path{};
  path.count[PATH_CELLS] = uint32_t(game.cells);
  path.count[PATH_LEVEL_FACTOR] = level_factor(rules, game.outcome.lines);
  path.count[PATH_GAME_LINES] = uint32_t(game.outcome.lines);
  return path;
}

// Adds a placement to a board and to the path that led to it. `lines_before` were removed in the game before the path
// begins.
inline Path add_placement(const Rules& rules, Board& board, Path path, int64_t lines_before, const Shape& shape, int x,
                          int y) {
  const uint32_t full = lock_and_clear(rules, board, shape, x, y);
  path.count[PATH_LOCK_HEIGHT] += uint32_t(y);
  path.count[PATH_LANDING_HEIGHT] += uint32_t(2 * y + shape.height - 1);
  const int lines = bit_count(full);
  path.count[PATH_POINTS] += uint32_t(points(rules, lines, lines_before + path.count[PATH_LINES]));
  if (full) {
    uint32_t eroded = 0;
    for (int row = 0; row < shape.height && y + row < rules.rows; ++row)
      if ((full >> (y + row)) & 1) eroded += shape.row_cells[row];
    path.count[PATH_LINES] += uint32_t(lines);
    path.count[PATH_ERODED] += uint32_t(lines) * eroded;
    path.count[PATH_LEVEL_FACTOR] = level_factor(rules, lines_before + path.count[PATH_LINES]);
  }
  path.count[PATH_CELLS] = uint32_t(count_cells(rules, board));
  return path;
}

// Locks the known piece there and counts its lines and points. Returns false if this ends the game.
BLOCKFALL_CALL_ON_GPU bool lock_piece(const Rules& rules, Game& game, const Placement& placement) {
  const Shape& shape = rules.piece[game.known[0]].shape[placement.shape];
  Outcome& outcome = game.outcome;
  ++outcome.pieces;
  outcome.termination = loss_by_lock(rules, shape, placement.y);
  if (outcome.termination != Termination::running) return false;
  const int lines = bit_count(lock_and_clear(rules, game.board, shape, placement.x, placement.y));
  if (lines) ++outcome.clears[counted_lines(lines) - 1];
  outcome.score += points(rules, lines, outcome.lines);
  outcome.lines += lines;
  game.cells = count_cells(rules, game.board);
  return true;
}

// Takes the next piece, and deals one more to the end of the known pieces.
inline void next_piece(const Rules& rules, Game& game, int frames) {
  for (int i = 1; i < game.pieces_known; ++i) game.known[i - 1] = game.known[i];
  game.known[game.pieces_known - 1] = deal_after(rules, game, frames);
  end_if_stuck(rules, game);
}

// Whether the rules let the piece come to rest there.
inline bool can_play(const Rules& rules, const Game& game, const Placement& placement) {
  bool found = false;
  if (game.outcome.termination != Termination::running || placement.piece != game.known[0]) return false;
  for_each_placement(rules, game.board, rules.piece[game.known[0]], game.outcome.lines,
                     [&](const Shape& shape, int x, int y) {
                       found |= shape.number == placement.shape && x == placement.x && y == placement.y;
                     });
  return found;
}

// The number of a placement of the game's piece (many_games.hpp).
inline int64_t action_of(const Rules& rules, const Placement& p) {
  const int64_t slot = p.shape * rules.columns + p.x;
  return drops(rules) ? slot : slot * rules.rows + p.y;
}

// Plays a placement for which `can_play` holds, such as one that a player chose.
inline void play_unchecked(const Rules& rules, Game& game, const Placement& placement) {
  if (lock_piece(rules, game, placement)) next_piece(rules, game, rules.frames_per_piece);
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
