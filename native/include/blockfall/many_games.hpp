// Many games that are stepped together, one action each.
//
// An action is a number. It gives a shape and the column of its left edge. Under rules with keys it also gives the row
// of the lowest cell, because a piece can come to rest at several rows of a column:
//
//     drop         shape * columns + x
//     reachable   (shape * columns + x) * rows + y
//
// A step plays one placement in every game. If a game is over, its action is ignored and the seat's next game starts.
// An impossible action changes nothing.
#pragma once

#include <utility>
#include <vector>

#include "game.hpp"

namespace blockfall {

inline constexpr int max_games = 1 << 20;  // stepped together

// The result of one step in one game.
struct Stepped {
  int64_t points;
  int32_t lines;
  Termination termination;
  bool illegal;  // the action was not possible
  bool started;  // the seat's next game began
};

struct ManyGames {
  const Rules* rules;
  Purpose purpose;
  int32_t pieces_known;
  int64_t max_pieces;  // of a game; 0 for no limit
  uint64_t stride;     // added to the number of a seat's game for its next one
  uint64_t end;        // game numbers stay below this; a seat stays as it is if its next number would not
  int32_t shapes;      // the most shapes of a piece
  std::vector<Game> games;
  std::vector<uint64_t> seed, number;  // of each seat's game
  std::vector<PlacementSet> rest;      // under rules with keys: where each game's piece can come to rest
};

namespace scalar {

inline int64_t action_count(const ManyGames& many) {
  return int64_t(many.shapes) * many.rules->columns * (drops(*many.rules) ? 1 : many.rules->rows);
}

// Finds where the piece of game i can come to rest. The game is over if the piece has no placement.
inline void find_placements(ManyGames& many, size_t i) {
  const Rules& rules = *many.rules;
  Game& game = many.games[i];
  if (drops(rules)) return;
  PlacementSet& rest = many.rest[i];
  rest = PlacementSet{};
  if (game.outcome.termination != Termination::running) return;
  bool found = false;
  for_each_placement(rules, game.board, rules.piece[game.known[0]], game.outcome.lines,
                     [&](const Shape& shape, int x, int y) {
                       rest.rows[shape.number][x] |= uint64_t{1} << y;
                       found = true;
                     });
  if (!found) game.outcome.termination = Termination::block_out;
}

inline void start_seat(ManyGames& many, size_t i) {
  many.games[i] = start_game(*many.rules, many.purpose, many.seed[i], many.number[i], many.pieces_known);
  find_placements(many, i);
}

// Seat i plays the games number[i], number[i] + stride, ... below `end` of seed[i].
inline ManyGames start_many_games(const Rules& rules, Purpose purpose, std::vector<uint64_t> seed,
                                  std::vector<uint64_t> number, uint64_t stride, uint64_t end, int pieces_known,
                                  int64_t max_pieces) {
  ManyGames many{&rules, purpose, pieces_known, max_pieces, stride, end, 0, {}, std::move(seed), std::move(number), {}};
  for (const Piece& piece : rules.piece)
    if (piece.shapes > many.shapes) many.shapes = piece.shapes;
  many.games.resize(many.seed.size());
  if (!drops(rules)) many.rest.resize(many.seed.size());
  for (size_t i = 0; i < many.games.size(); ++i) start_seat(many, i);
  return many;
}

// Finds the placement that an action means. Returns false if game i is over or its piece cannot come to rest there.
inline bool find_placement(const ManyGames& many, size_t i, int64_t action, Placement& placement) {
  const Rules& rules = *many.rules;
  const Game& game = many.games[i];
  if (game.outcome.termination != Termination::running || action < 0 || action >= action_count(many)) return false;
  const int64_t slot = drops(rules) ? action : action / rules.rows;
  const int shape = int(slot / rules.columns), x = int(slot % rules.columns);
  const Piece& piece = rules.piece[game.known[0]];
  if (shape >= piece.shapes || x + piece.shape[shape].width > rules.columns) return false;
  const int y = drops(rules) ? drop_row(game.board.column, piece.shape[shape], x) : int(action % rules.rows);
  placement = {game.known[0], uint8_t(shape), uint8_t(x), uint8_t(y)};
  return drops(rules) || many.rest[i].has(shape, x, y);
}

inline Stepped step_game(ManyGames& many, size_t i, int64_t action) {
  Game& game = many.games[i];
  Outcome& outcome = game.outcome;
  if (outcome.termination != Termination::running) {
    if (many.number[i] + many.stride >= many.end) return {0, 0, outcome.termination, false, false};
    many.number[i] += many.stride;
    start_seat(many, i);
    return {0, 0, outcome.termination, false, true};
  }
  Placement placement;
  if (!find_placement(many, i, action, placement)) return {0, 0, outcome.termination, true, false};
  const int64_t lines = outcome.lines, score = outcome.score;
  play_unchecked(*many.rules, game, placement);
  if (many.max_pieces && outcome.pieces >= many.max_pieces && outcome.termination == Termination::running)
    outcome.termination = Termination::piece_limit;
  find_placements(many, i);
  return {outcome.score - score, int32_t(outcome.lines - lines), outcome.termination, false, false};
}

// Ends game i as a piece limit would.
inline void cut_game(ManyGames& many, size_t i) {
  Outcome& outcome = many.games[i].outcome;
  if (outcome.termination == Termination::running) outcome.termination = Termination::piece_limit;
}

// Calls visit(placement) for every placement of game i, in the order that breaks ties; for none if the game is over.
template <class Visit>
inline void for_each_action(const ManyGames& many, size_t i, Visit visit) {
  const Game& game = many.games[i];
  if (game.outcome.termination != Termination::running) return;
  const Piece& piece = many.rules->piece[game.known[0]];
  for (int s = 0; s < piece.shapes; ++s)
    for (int x = 0; x + piece.shape[s].width <= many.rules->columns; ++x) {
      if (drops(*many.rules)) {
        const int y = drop_row(game.board.column, piece.shape[s], x);
        visit(Placement{game.known[0], uint8_t(s), uint8_t(x), uint8_t(y)});
        continue;
      }
      for (uint64_t rows = many.rest[i].rows[s][x]; rows;) {
        const int y = highest_bit(uint32_t(rows));
        rows ^= uint64_t{1} << y;
        visit(Placement{game.known[0], uint8_t(s), uint8_t(x), uint8_t(y)});
      }
    }
}

// The number of placements of game i.
inline int64_t count_placements(const ManyGames& many, size_t i) {
  const Game& game = many.games[i];
  if (game.outcome.termination != Termination::running) return 0;
  const Piece& piece = many.rules->piece[game.known[0]];
  if (drops(*many.rules)) return piece.slots.count;
  int64_t count = 0;
  for (int s = 0; s < piece.shapes; ++s)
    for (int x = 0; x < many.rules->columns; ++x) count += bit_count(uint32_t(many.rest[i].rows[s][x]));
  return count;
}

// Sets a 1 for every possible action of game i. A straight drop is possible at every column where the shape fits.
inline void fill_mask(const ManyGames& many, size_t i, int8_t mask[]) {
  const Rules& rules = *many.rules;
  const Game& game = many.games[i];
  if (!drops(rules) || game.outcome.termination != Termination::running) {
    for_each_action(many, i, [&](const Placement& p) { mask[action_of(rules, p)] = 1; });
    return;
  }
  const Piece& piece = rules.piece[game.known[0]];
  for (int s = 0; s < piece.shapes; ++s)
    for (int x = 0; x + piece.shape[s].width <= rules.columns; ++x) mask[s * rules.columns + x] = 1;
}

// Sets a 1 for each known piece: seven numbers per piece, in the order of PieceKind.
template <class Number>
inline void fill_known(const Game& game, Number out[]) {
  for (int k = 0; k < game.pieces_known; ++k)
    if (game.known[k] < piece_kinds) out[k * piece_kinds + game.known[k]] = 1;
}

// Fills planes of rows x columns, the floor row first: the filled cells, then seven planes per known piece, of which
// the plane of that piece is all ones.
inline void fill_planes(const Rules& rules, const Game& game, uint8_t out[]) {
  const int cells = rules.rows * rules.columns;
  for (int x = 0; x < rules.columns; ++x)
    for (int y = 0; y < rules.rows; ++y) out[y * rules.columns + x] = uint8_t((game.board.column[x] >> y) & 1);
  for (int k = 0; k < game.pieces_known; ++k) {
    if (game.known[k] >= piece_kinds) continue;
    uint8_t* plane = out + (1 + k * piece_kinds + game.known[k]) * cells;
    for (int i = 0; i < cells; ++i) plane[i] = 1;
  }
}

}  // namespace scalar
}  // namespace blockfall
