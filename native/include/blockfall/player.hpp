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

  // The game must have a placement. With `among`, a line begins with one of these.
  Placement choose(const Game& game, const PlacementSet* among = nullptr) {
    game_ = &game;
    among_ = among;
    placements_ = 0;
    depth_ = lines_depth(game);
    at_sides_ = guard_applies(game.board);
    search();
    if (at_sides_ && !(value_ > worst_value)) {
      at_sides_ = false;
      search();
    }
    return value_ > worst_value ? best_ : first_of_longest_line();
  }

  // The best line of play that begins with this placement: its value, and its last piece. False when all lose.
  bool best_line(const Game& game, const Placement& first, float& value, Candidate& candidate) {
    game_ = &game;
    placements_ = 0;
    depth_ = lines_depth(game);
    at_sides_ = false;
    PlacementSet only{};
    only.add(first);
    among_ = &only;
    search();
    among_ = nullptr;
    value = value_;
    candidate = candidate_;
    return value_ > worst_value;
  }

  float value() const { return value_; }
  int64_t placements() const { return placements_; }  // final boards

 private:
  int lines_depth(const Game& game) const {
    int depth = 1;
    while (depth < agent_.pieces_known && depth < game.pieces_known && game.known[depth] != no_piece) ++depth;
    return depth;
  }

  // A line of play with all known pieces placed. `order` is its place among all lines, for ties.
  struct Line {
    float value;
    uint64_t order;
    Placement first;
    Board board;
    Path path;
  };

  bool guard_applies(const Board& board) const {
    if (!agent_.guards) return false;
    int highest = 0, bumpiness = 0;
    for (int i = 0; i < rules_.columns; ++i) {
      const int top = height(board.column[i]), before = i ? height(board.column[i - 1]) : top;
      highest = top > highest ? top : highest;
      bumpiness += top > before ? top - before : before - top;
    }
    return highest >= agent_.guard_height && bumpiness >= agent_.guard_bumpiness;
  }

  void search() {
    value_ = worst_value;
    order_ = ~0u;
    lines_ = 0;
    boards_seen_ = 0;
    const Path path = start_path(rules_, *game_);
    if (depth_ == 1)
      wait_for_last_piece(game_->board, path, {});
    else
      expand(game_->board, path, 0, {});
    place_last_piece();
    if (agent_.best_lines) choose_by_unknown_piece();
  }

  // Places piece number `placed` of the line everywhere, up to the last but one.
  void expand(const Board& board, const Path& path, int placed, Placement first) {
    for_each_placement(rules_, board, rules_.piece[game_->known[placed]], game_->outcome.lines + path.fact[FACT_LINES],
                       [&](const Shape& shape, int x, int y) {
                         if (y > shape.highest_row || (placed == 0 && !allowed_first(shape, x, y))) return;
                         if (placed == 0) first = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                         Board next = board;
                         const Path longer = step(next, path, shape, x, y);
                         if (placed + 2 == depth_)
                           wait_for_last_piece(next, longer, first);
                         else
                           expand(next, longer, placed + 1, first);
                       });
  }

  bool allowed_first(const Shape& shape, int x, int y) const {
    if (among_ && !among_->has(shape.number, x, y)) return false;
    return !at_sides_ || x == 0 || x + shape.width == rules_.columns;
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
      path.fact[FACT_POINTS] +=
          uint32_t(rules_.line_score[counted_lines(int(lines)) - 1]) * path.fact[FACT_LEVEL_FACTOR];
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
    const Piece& piece = rules_.piece[game_->known[depth_ - 1]];
    const LastPiece<Columns> last(rules_, agent_, piece, waiting_, game_->outcome.lines, at_sides_ && depth_ == 1);
    placements_ += last.placements();
    const PlacementSet* among = depth_ == 1 ? among_ : nullptr;
    const auto allowed = [&](uint32_t slot, uint32_t row) {
      return !among || among->has(piece.slots.shape[slot], piece.slots.x[slot], int(row));
    };
    if (agent_.best_lines)
      last.for_each_value([&](int n, uint32_t slot, uint32_t row, float value) {
        if (allowed(slot, row)) keep_if_best(n, slot, row, value);
      });
    else if (among)
      last.for_each_value([&](int n, uint32_t slot, uint32_t row, float value) {
        if (allowed(slot, row)) take_first_best(n, piece, slot, row, value);
      });
    else
      keep_best(last, piece);
    boards_seen_ += uint64_t(waiting_.count);
    waiting_.count = 0;
  }

  void keep_best(const LastPiece<Columns>& last, const Piece& piece) {
    BestPlacements best;
    last.find_best(best);
    for (int n = 0; n < waiting_.count; ++n) take_best(n, piece, best.slot[n], best.row[n], best.value[n]);
  }

  void take_best(int n, const Piece& piece, uint32_t slot, uint32_t row, float value) {
    if (value > value_) take(n, piece, slot, row, value);
  }

  // Of placements that come in no order: of equal ones the first.
  void take_first_best(int n, const Piece& piece, uint32_t slot, uint32_t row, float value) {
    const uint32_t order = slot << 8 | (255 - row);
    if (!(value > value_ || (value == value_ && value > worst_value && order < order_))) return;
    order_ = order;
    take(n, piece, slot, row, value);
  }

  void take(int n, const Piece& piece, uint32_t slot, uint32_t row, float value) {
    value_ = value;
    const Placement last = placement_at(piece, slot, row);
    best_ = depth_ > 1 ? first_[n] : last;
    if (!among_) return;
    for (int i = 0; i < rules_.columns; ++i) candidate_.board.column[i] = waiting_.board[n][i];
    for (int i = 0; i < fact_count; ++i) candidate_.path.fact[i] = waiting_.fact[n][i];
    candidate_.placement = last;
  }

  static Placement placement_at(const Piece& piece, uint32_t slot, uint32_t row) {
    return {piece.shape[0].piece, piece.slots.shape[slot], piece.slots.x[slot], uint8_t(row)};
  }

  // Among the best lines, the best first; of equal ones the earlier.
  void keep_if_best(int n, uint32_t slot, uint32_t row, float value) {
    if (!(value > worst_value)) return;
    const uint64_t order = (boards_seen_ + uint64_t(n)) << 16 | slot << 8 | (255 - row);
    const auto goes_before = [&](const Line& line) {
      return value > line.value || (value == line.value && order < line.order);
    };
    if (lines_ == agent_.best_lines && !goes_before(line_[lines_ - 1])) return;
    const Piece& piece = rules_.piece[game_->known[depth_ - 1]];
    const Placement last = placement_at(piece, slot, row);
    Line line{value, order, depth_ > 1 ? first_[n] : last, {}, {}};
    for (int i = 0; i < rules_.columns; ++i) line.board.column[i] = waiting_.board[n][i];
    for (int i = 0; i < fact_count; ++i) line.path.fact[i] = waiting_.fact[n][i];
    line.path = step(line.board, line.path, piece.shape[last.shape], last.x, last.y);
    int at = lines_ < agent_.best_lines ? lines_++ : lines_ - 1;
    for (; at > 0 && goes_before(line_[at - 1]); --at) line_[at] = line_[at - 1];
    line_[at] = line;
  }

  // The best lines by the mean of what the next, unknown piece can make of them.
  [[gnu::noinline]] void choose_by_unknown_piece() {
    float law[piece_kinds], mean[max_best_lines] = {};
    next_law(game_->generator, rules_, law);
    for (int kind = 0; kind < piece_kinds; ++kind) {
      if (!(law[kind] > 0)) continue;
      for (int from = 0; from < lines_; from += lanes) {
        waiting_.count = 0;
        for (int i = from; i < lines_ && i < from + lanes; ++i)
          add_board(rules_, line_[i].board, line_[i].path, waiting_);
        const LastPiece<Columns> last(rules_, agent_, rules_.piece[kind], waiting_, game_->outcome.lines, false);
        placements_ += last.placements();
        BestPlacements best;
        last.find_best(best);
        for (int n = 0; n < waiting_.count; ++n) {
          const float value = best.value[n] > worst_value ? best.value[n] : agent_.loss;
          mean[from + n] = mean[from + n] + law[kind] * value;
        }
      }
    }
    waiting_.count = 0;
    uint64_t order = ~uint64_t{0};
    for (int i = 0; i < lines_; ++i)
      if (mean[i] > value_ || (mean[i] == value_ && line_[i].order < order)) {
        value_ = mean[i];
        order = line_[i].order;
        best_ = line_[i].first;
      }
  }

  // Where no line has a value, the first placement of the line that lives longest.
  Placement first_of_longest_line() const {
    int longest = -1;
    Placement first{}, best{};
    const auto follow = [&](const auto& self, const Board& board, const Path& path, int placed) -> void {
      for_each_placement(rules_, board, rules_.piece[game_->known[placed]],
                         game_->outcome.lines + path.fact[FACT_LINES], [&](const Shape& shape, int x, int y) {
                           if (longest == depth_ || (placed == 0 && among_ && !among_->has(shape.number, x, y))) return;
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
  bool at_sides_ = false;
  WaitingBoards waiting_{};
  uint64_t boards_seen_ = 0;             // that have waited before these
  Placement first_[lanes];               // of the line that led to each waiting board
  const PlacementSet* among_ = nullptr;  // a line begins with one of these, where given
  Candidate candidate_{};                // of the best such line
  int lines_ = 0;
  Line line_[max_best_lines];
  float value_ = worst_value;
  uint32_t order_ = ~0u;  // of the best of `among_`
  Placement best_{};
  int64_t placements_ = 0;
};

}  // namespace blockfall::BLOCKFALL_ARCH
