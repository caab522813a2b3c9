// Sequences of placements: every way to place the known pieces, up to the boards that wait for the last piece.
#pragma once

#include "agent.hpp"
#include "game.hpp"
#include "sharing.hpp"
#include "value/policy.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The number of pieces in a sequence: as many as the agent knows and the game shows.
inline int sequence_length(const Agent& agent, const Game& game) {
  int length = 1;
  while (length < most_pieces && length < agent.pieces_known && length < game.pieces_known &&
         game.known[length] != no_piece)
    ++length;
  return length;
}

inline Placement placement_at(const Piece& piece, uint32_t slot, uint32_t row) {
  return {piece.shape[0].piece, piece.slots.shape[slot], uint8_t(piece.slots.x[slot]), uint8_t(row)};
}

inline bool is_at_side(const Rules& rules, const Shape& shape, int x) {
  return x == 0 || x + shape.width == rules.columns;
}

// The boards that wait for a sequence's last piece, as many at a time as the value takes.
template <class Value>
class Sequences {
 public:
  explicit Sequences(const Rules& rules) : rules_(rules) {}

  // Calls use() for each batch of boards, until every sequence has had its turn. A sequence begins with a placement
  // (shape, x, y) that may_begin allows.
  template <class MayBegin, class Use>
  void for_each_batch(const Game& game, int length, const MayBegin& may_begin, const Use& use) {
    boards_before_ = 0;
    const Path path = start_path(rules_, game);
    if (most_pieces == 1 || length == 1) {
      place_ = 0;
      if (thread_of_choice() == 0) add(game.board, path, {}, use);
    } else if constexpr (threads_per_choice > 1) {
      expand_mine(game, path, may_begin, use);
    } else if constexpr (most_pieces > 1) {
      expand(game, game.board, path, length, 0, {}, may_begin, use);
    }
    if constexpr (Value::boards_at_once > 1) finish(use);
  }

  const WaitingBoards<Value::boards_at_once>& boards() const { return boards_; }
  // The first placement of the sequence that led to board n, if it is longer than one piece.
  const Placement& first(int n) const { return first_[n]; }
  // The place of board n among all boards of a choice, including those of other threads.
  uint64_t place(int n) const { return threads_per_choice > 1 ? place_ : boards_before_ + uint64_t(n); }
  // The place of a sequence among all sequences of a choice: among equals, the first wins. The last piece goes to this
  // slot and row of board n.
  uint64_t order(int n, uint32_t slot, uint32_t row) const { return place(n) << 16 | slot << 8 | (255 - row); }
  // The sequence that ends with a placement on board n.
  Candidate candidate(int n, const Placement& last) const {
    Candidate found{{}, {}, last};
    for (int i = 0; i < rules_.columns; ++i) found.board.column[i] = boards_.board[n][i];
    for (int i = 0; i < path_counts; ++i) found.path.count[i] = boards_.path[n][i];
    return found;
  }

 private:
  // Places piece number `placed` everywhere, and the pieces after it except the last.
  template <class MayBegin, class Use>
  void expand(const Game& game, const Board& board, const Path& path, int length, int placed, Placement first,
              const MayBegin& may_begin, const Use& use) {
    const int64_t lines = game.outcome.lines;
    for_each_placement(rules_, board, rules_.piece[game.known[placed]], lines + path.count[PATH_LINES],
                       [&](const Shape& shape, int x, int y) {
                         if (y > shape.highest_row || (placed == 0 && !may_begin(shape, x, y))) return;
                         if (placed == 0) first = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                         Board next = board;
                         const Path longer = add_placement(rules_, next, path, lines, shape, x, y);
                         if (most_pieces == 2 || placed + 2 == length)
                           add(next, longer, first, use);
                         else if constexpr (most_pieces > 2)
                           expand(game, next, longer, length, placed + 1, first, may_begin, use);
                       });
  }

  // The same for two pieces, if threads share the choice: they take the first placements in turn. Each thread finds its
  // next one before it goes on, because the threads of a warp work in step.
  template <class MayBegin, class Use>
  void expand_mine(const Game& game, const Path& path, const MayBegin& may_begin, const Use& use) {
    static_assert(most_pieces == 2 || sizeof(MayBegin) == 0);
    const int64_t lines = game.outcome.lines;
    PlacementWalk walk(rules_, game.board, rules_.piece[game.known[0]], lines + path.count[PATH_LINES]);
    for (uint32_t begun = 0;;) {
      bool mine = false;
      while (!mine && walk.next())
        if (walk.y() <= walk.shape().highest_row && may_begin(walk.shape(), walk.x(), walk.y()))
          mine = begun++ % threads_per_choice == uint32_t(thread_of_choice());
      if (!mine) return;
      place_ = begun - 1;
      Board next = game.board;
      const Path longer = add_placement(rules_, next, path, lines, walk.shape(), walk.x(), walk.y());
      add(next, longer, {walk.shape().piece, walk.shape().number, uint8_t(walk.x()), uint8_t(walk.y())}, use);
    }
  }

  template <class Use>
  void add(const Board& board, const Path& path, const Placement& first, const Use& use) {
    first_[boards_.count] = first;
    add_board(board, path, boards_);
    if (boards_.count == Value::boards_at_once) finish(use);
  }

  template <class Use>
  BLOCKFALL_OUT_OF_LINE BLOCKFALL_CALL_ON_GPU void finish(const Use& use) {
    if (boards_.count == 0) return;
    use();
    boards_before_ += uint64_t(boards_.count);
    boards_.count = 0;
  }

  const Rules& rules_;
  WaitingBoards<Value::boards_at_once> boards_{};  // unused places hold earlier boards, since lanes read them
  Placement first_[Value::boards_at_once];
  uint64_t boards_before_ = 0;
  uint32_t place_ = 0;  // of the waiting board, if threads share the choice
};

// For games in which every sequence loses: the first placement of the sequence that survives longest, or with `among`,
// the first one among these.
BLOCKFALL_OUT_OF_LINE BLOCKFALL_CALL_ON_GPU Placement first_of_longest_sequence(const Rules& rules, const Game& game,
                                                                                int length, const PlacementSet* among) {
  int longest = -1;
  Placement first{}, best{};
  const auto follow = [&](const auto& self, const Board& board, const Path& path, int placed) -> void {
    for_each_placement(rules, board, rules.piece[game.known[placed]], game.outcome.lines + path.count[PATH_LINES],
                       [&](const Shape& shape, int x, int y) {
                         if (longest == length || (placed == 0 && among && !among->has(shape.number, x, y))) return;
                         if (placed == 0) first = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                         const int lives = placed + (y <= shape.highest_row);
                         if (lives > longest) longest = lives, best = first;
                         if (lives == placed || placed + 1 == length) return;
                         Board next = board;
                         const Path longer = add_placement(rules, next, path, game.outcome.lines, shape, x, y);
                         if constexpr (most_pieces > 2) {
                           self(self, next, longer, placed + 1);
                         } else {  // a GPU has no stack for recursion
                           for_each_placement(rules, next, rules.piece[game.known[1]],
                                              game.outcome.lines + longer.count[PATH_LINES],
                                              [&](const Shape& second, int, int row) {
                                                if (row <= second.highest_row) longest = 2, best = first;
                                              });
                         }
                       });
  };
  follow(follow, game.board, Path{}, 0);
  return best;
}

}  // namespace blockfall::BLOCKFALL_ARCH
