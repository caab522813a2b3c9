// Choosing a placement: every line of the pieces known is played out, the final boards are valued, and the first
// placement of the best line wins; ties go to the first.
//
// Several games choose together: their candidates share the lanes, so that a piece with nine placements does not
// leave seven lanes of sixteen idle.
#pragma once

#include "game.hpp"
#include "value.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int max_together = 4;

template <int Columns>
class Player {
 public:
  Player(const Rules& rules, const Agent& agent) : rules_(rules), agent_(agent) {}

  // Starts the choice for one of the games; results are ready after finish().
  void consider(int seat, const Game& game) {
    Best& best = best_[seat];
    best = Best{};
    int depth = 1;
    while (depth < agent_.pieces_known && depth < game.pieces_known && game.known[depth] != no_piece) ++depth;
    const Path path{0, 0, 0, 0, game.cells};
    expand(seat, game, game.board, path, 0, depth, 0);
  }

  void finish() { value_candidates(); }

  Placement chosen(int seat) const {
    const Best& best = best_[seat];
    return unpack(best.found ? best.first : best.longest);
  }
  float value(int seat) const { return best_[seat].value; }
  int64_t placements(int seat) const { return best_[seat].placements; }

 private:
  struct Best {
    float value = 0;
    bool found = false;    // some line was valued
    uint32_t first = 0;    // first placement of the best line
    uint32_t longest = 0;  // first placement of the line that lives longest, where all lines lose
    int lives = -1;
    int64_t placements = 0;
  };

  static uint32_t pack(int piece, int shape, int x, int y) { return uint32_t(piece << 24 | shape << 16 | x << 8 | y); }
  static Placement unpack(uint32_t p) { return {uint8_t(p >> 24), uint8_t(p >> 16), uint8_t(p >> 8), uint8_t(p)}; }

  void expand(int seat, const Game& game, const Board& board, const Path& path, int placed, int depth, uint32_t first) {
    Best& best = best_[seat];
    const Piece& piece = rules_.piece[game.known[placed]];
    const bool last = placed + 1 == depth;
    const int level = level_at(rules_, game.outcome.lines + path.lines);
    for_each_placement(rules_, board, piece, level, [&](const Shape& shape, int x, int y) {
      if (placed == 0) first = pack(game.known[0], int(&shape - piece.shape), x, y);
      best.placements += last;
      const bool lost = loss_by_lock(rules_, shape, y) != Termination::running;
      if (placed + !lost > best.lives) best.lives = placed + !lost, best.longest = first;
      if (lost) return;
      if (last) {
        seat_[candidates_.count] = seat;
        first_[candidates_.count] = first;
        add_candidate(rules_, board, path, shape, x, y, candidates_);
        if (candidates_.count == lanes) value_candidates();
      } else {
        Board next = board;
        const Path longer = step(next, path, shape, x, y);
        expand(seat, game, next, longer, placed + 1, depth, first);
      }
    });
  }

  Path step(Board& board, Path path, const Shape& shape, int x, int y) const {
    lock(rules_, board, shape, x, y);
    path.lock_height += y;
    path.landing_height += 2 * y + shape.height - 1;
    path.cells += visible_cells(rules_, shape, y);
    if (const uint32_t full = full_rows(board, rules_.columns)) {
      const int lines = bit_count(full);
      int eroded = 0;
      for (int row = 0; row < shape.height; ++row)
        if (y + row < 32 && (full >> (y + row)) & 1) eroded += shape.row_cells[row];
      remove_rows(board, full, rules_.columns);
      path.lines += lines;
      path.eroded += lines * eroded;
      path.cells -= lines * rules_.columns;
    }
    return path;
  }

  void value_candidates() {
    if (candidates_.count == 0) return;
    alignas(64) float values[lanes];
    value_of<Columns>(rules_, agent_, candidates_, values);
    for (int i = 0; i < candidates_.count; ++i) {
      Best& best = best_[seat_[i]];
      if (best.found && !(values[i] > best.value)) continue;
      best.found = true;
      best.value = values[i];
      best.first = first_[i];
    }
    candidates_.count = 0;
  }

  const Rules& rules_;
  const Agent& agent_;
  Candidates candidates_{};
  int seat_[lanes];
  uint32_t first_[lanes];
  Best best_[max_together];
};

}  // namespace blockfall::BLOCKFALL_ARCH
