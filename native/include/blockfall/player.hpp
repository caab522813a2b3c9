// Choosing a placement: every line of the pieces known is played out, the final boards are valued, and the first
// placement of the best line wins; ties go to the first.
#pragma once

#include "game.hpp"
#include "last_piece.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int Columns>
class Player {
 public:
  Player(const Rules& rules, const Agent& agent) : rules_(rules), agent_(agent) {}

  // The game must have a placement.
  Placement choose(const Game& game) {
    game_ = &game;
    value_ = worst_value;
    placements_ = 0;
    depth_ = 1;
    while (depth_ < agent_.pieces_known && depth_ < game.pieces_known && game.known[depth_] != no_piece) ++depth_;
    const Path path = start_path(rules_, game);
    if (depth_ == 1)
      wait_for_last_piece(game.board, path, {});
    else
      expand(game.board, path, 0, {});
    place_last_piece();
    return value_ > worst_value ? best_ : first_of_longest_line();
  }

  float value() const { return value_; }
  int64_t placements() const { return placements_; }  // final boards

 private:
  // Places piece number `placed` of the line everywhere, up to the last but one.
  void expand(const Board& board, const Path& path, int placed, Placement first) {
    for_each_placement(rules_, board, rules_.piece[game_->known[placed]], game_->outcome.lines + path.fact[FACT_LINES],
                       [&](const Shape& shape, int x, int y) {
                         if (y > shape.highest_row) return;
                         if (placed == 0) first = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                         Board next = board;
                         const Path longer = step(next, path, shape, x, y);
                         if (placed + 2 == depth_)
                           wait_for_last_piece(next, longer, first);
                         else
                           expand(next, longer, placed + 1, first);
                       });
  }

  Path step(Board& board, Path path, const Shape& shape, int x, int y) const {
    lock(rules_, board, shape, x, y);
    path.fact[FACT_LOCK_HEIGHT] += uint32_t(y);
    path.fact[FACT_LANDING_HEIGHT] += uint32_t(2 * y + shape.height - 1);
    path.fact[FACT_POINTS] += uint32_t(rules_.piece_score);
    if (const uint32_t full = full_rows(board, rules_.columns)) {
      uint32_t eroded = 0;
      for (int row = 0; row < shape.height && y + row < rules_.rows; ++row)
        if ((full >> (y + row)) & 1) eroded += shape.row_cells[row];
      remove_rows(board, full, rules_.columns);
      const auto lines = uint32_t(bit_count(full));
      path.fact[FACT_LINES] += lines;
      path.fact[FACT_ERODED] += lines * eroded;
      path.fact[FACT_POINTS] += uint32_t(rules_.line_score[lines - 1]) * path.fact[FACT_LEVEL_FACTOR];
      path.fact[FACT_LEVEL_FACTOR] = level_factor(rules_, game_->outcome.lines + path.fact[FACT_LINES]);
    }
    path.fact[FACT_CELLS] = uint32_t(count_cells(rules_, board));
    return path;
  }

  void wait_for_last_piece(const Board& board, const Path& path, Placement first) {
    first_[waiting_.count] = first;
    add_board(rules_, board, path, waiting_);
    if (waiting_.count == lanes) place_last_piece();
  }

  [[gnu::noinline]] void place_last_piece() {
    if (waiting_.count == 0) return;
    const uint8_t kind = game_->known[depth_ - 1];
    const Piece& piece = rules_.piece[kind];
    const LastPiece<Columns> last(rules_, agent_, piece, waiting_, game_->outcome.lines);
    BestPlacements best;
    last.find_best(best);
    placements_ += last.placements();
    for (int n = 0; n < waiting_.count; ++n) {
      if (!(best.value[n] > value_)) continue;
      value_ = best.value[n];
      const uint32_t slot = best.slot[n];
      best_ =
          depth_ > 1 ? first_[n] : Placement{kind, piece.slots.shape[slot], piece.slots.x[slot], uint8_t(best.row[n])};
    }
    waiting_.count = 0;
  }

  // Where no line has a value, the first placement of the line that lives longest.
  Placement first_of_longest_line() const {
    int longest = -1;
    Placement first{}, best{};
    const auto follow = [&](const auto& self, const Board& board, const Path& path, int placed) -> void {
      for_each_placement(rules_, board, rules_.piece[game_->known[placed]],
                         game_->outcome.lines + path.fact[FACT_LINES], [&](const Shape& shape, int x, int y) {
                           if (longest == depth_) return;
                           if (placed == 0) first = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                           const int lives = placed + (y <= shape.highest_row);
                           if (lives > longest) longest = lives, best = first;
                           if (lives == placed || placed + 1 == depth_) return;
                           Board next = board;
                           const Path longer = step(next, path, shape, x, y);
                           self(self, next, longer, placed + 1);
                         });
    };
    follow(follow, game_->board, Path{}, 0);
    return best;
  }

  const Rules& rules_;
  const Agent& agent_;
  const Game* game_ = nullptr;
  int depth_ = 1;  // pieces of a line
  WaitingBoards waiting_{};
  Placement first_[lanes];  // of the line that led to each waiting board
  float value_ = worst_value;
  Placement best_{};
  int64_t placements_ = 0;
};

}  // namespace blockfall::BLOCKFALL_ARCH
