// The seats from which a board network learns: many games played at once, one placement at a time, on this machine or
// on a GPU. A thread works on one seat and needs no other.
//
// A seat has successors: the boards after each placement of a piece. If a next piece is known, they are those of the
// piece in hand. Otherwise they are those of every piece that could have come, so that the expected value before it
// came is exact.
#pragma once

#include "../game.hpp"

namespace blockfall {

struct Seat {
  Game game;
  uint64_t number;         // of its game
  float law[piece_kinds];  // the probabilities of the last known piece, before it came
};

// The settings shared by the games of all seats.
struct SeatSettings {
  uint64_t seed, seats, first_number;
  int64_t pieces_known;
};

// Arrays with an entry per successor. A board is a word per row, the floor row first; bit i is column i.
struct Successors {
  uint16_t* rows;
  int32_t* seat;
  uint32_t* placement;  // shape, column and row, a byte each
  uint8_t* piece;
  uint8_t* lines;  // removed by the placement
  uint8_t* room;   // a bit for each piece that can appear
};

// The result of a placement.
struct Progress {
  int32_t lines;
  int32_t over;   // whether it ended the game; if so, the seat's next game has begun
  int64_t total;  // the lines of the game
};

namespace BLOCKFALL_ARCH {

inline void start_seat(const Rules& rules, const SeatSettings& settings, uint64_t number, Seat& seat) {
  seat.number = number;
  seat.game = start_game(rules, Purpose::learning, settings.seed, number, int(settings.pieces_known));
  Generator generator = make_generator(rules, Purpose::learning, settings.seed, number);
  for (int i = 0; i + 1 < settings.pieces_known; ++i) {
    pass_frames(generator, rules, rules.frames_per_piece);
    deal(generator, rules);
  }
  next_law(generator, rules, seat.law);
}

inline void write_rows(const Rules& rules, const Board& board, uint16_t rows[]) {
  for (int y = 0; y < rules.rows; ++y) {
    uint32_t row = 0;
    for (int x = 0; x < rules.columns; ++x) row |= ((board.column[x] >> y) & 1) << x;
    rows[y] = uint16_t(row);
  }
}

inline uint32_t pieces_with_room(const Rules& rules, const Board& board) {
  uint32_t room = 0;
  for (int piece = 0; piece < piece_kinds; ++piece)
    room |= uint32_t(!rules.block_out_loses || has_room(board, rules.piece[piece])) << piece;
  return room;
}

// Calls visit(piece, shape, x, y) for every placement that does not lose.
template <class Visit>
inline void for_each_successor(const Rules& rules, const Seat& seat, Visit visit) {
  const Game& game = seat.game;
  for (int piece = 0; piece < piece_kinds; ++piece) {
    if (game.pieces_known > 1 ? piece != game.known[0] : seat.law[piece] == 0) continue;
    if (rules.block_out_loses && !has_room(game.board, rules.piece[piece])) continue;
    for_each_placement(rules, game.board, rules.piece[piece], game.outcome.lines,
                       [&](const Shape& shape, int x, int y) {
                         if (loss_by_lock(rules, shape, y) == Termination::running) visit(piece, shape, x, y);
                       });
  }
}

inline int count_successors(const Rules& rules, const Seat& seat) {
  int count = 0;
  for_each_successor(rules, seat, [&](int, const Shape&, int, int) { ++count; });
  return count;
}

inline void write_successors(const Rules& rules, const Seat& seat, int32_t number, int64_t at, const Successors& out) {
  for_each_successor(rules, seat, [&](int piece, const Shape& shape, int x, int y) {
    Board board = seat.game.board;
    out.lines[at] = uint8_t(bit_count(lock_and_clear(rules, board, shape, x, y)));
    write_rows(rules, board, out.rows + at * rules.rows);
    out.seat[at] = number;
    out.placement[at] = uint32_t(shape.number) | uint32_t(x) << 8 | uint32_t(y) << 16;
    out.piece[at] = uint8_t(piece);
    out.room[at] = uint8_t(pieces_with_room(rules, board));
    ++at;
  });
}

// Plays the placement of the piece in hand; `found` is false if every placement loses.
inline Progress play_seat(const Rules& rules, const SeatSettings& settings, Seat& seat, bool found,
                          uint32_t placement) {
  Game& game = seat.game;
  const int64_t before = game.outcome.lines;
  bool goes_on = false;
  if (found) {
    const Placement chosen{game.known[0], uint8_t(placement), uint8_t(placement >> 8), uint8_t(placement >> 16)};
    if (lock_piece(rules, game, chosen)) {
      next_law(game.generator, rules, seat.law);
      next_piece(rules, game, rules.frames_per_piece);
      goes_on = game.outcome.termination == Termination::running;
    }
  }
  const Progress progress{int32_t(game.outcome.lines - before), !goes_on, game.outcome.lines};
  if (!goes_on) start_seat(rules, settings, seat.number + settings.seats, seat);
  return progress;
}

// Whether a seat that was read from a file can be played: no value leads out of an array.
inline bool is_playable(const Rules& rules, const SeatSettings& settings, const Seat& seat) {
  const Game& game = seat.game;
  const Generator& g = game.generator;
  bool good = game.pieces_known == settings.pieces_known && game.outcome.termination == Termination::running &&
              game.outcome.lines >= 0 && g.stream.used >= 0 && g.stream.used <= 4 && g.dealt >= 0 &&
              g.taken <= piece_kinds && (g.previous < piece_kinds || g.previous == no_piece);
  for (int i = 0; i < settings.pieces_known; ++i) good = good && game.known[i] < piece_kinds;
  for (uint8_t piece : g.history) good = good && piece < piece_kinds;
  for (uint8_t piece : g.pool) good = good && piece < piece_kinds;
  for (int i = 0; i < piece_kinds; ++i) good = good && g.bag[i] < piece_kinds && seat.law[i] >= 0 && seat.law[i] <= 1;
  for (int x = 0; x < max_columns; ++x)
    good = good && !(game.board.column[x] & ~(x < rules.columns ? rows_mask(rules.rows) : 0));
  return good && game.cells == count_cells(rules, game.board);
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
