// The choice of a placement by a board network, looking one or more plies ahead, with exact means over unknown pieces.
//
// If the next piece is known, the network gives V(b, n): the lines still to come from board b with piece n in hand,
// when the piece after n is not known. With piece c in hand and n next, the player takes the placement a of c with the
// largest
//     lines(a) + Q(b after a, n)
// where Q is V for one ply. For each further ply, Q becomes the mean over the generator's probabilities
//     Q'(b, n) = sum over m of P(m | n) max over placements a of n of [lines(a) + Q(b after a, m)].
// If no next piece is known, there is one V(b), and Q'(b) = sum over m of P(m) max over placements a of m of [...].
//
// A piece that has no room to appear, or only placements that lose, earns 0. Values are integers, 2^value_bits to the
// line, and a mean is rounded to the nearest, so that every instruction set agrees.
#pragma once

#include "atomics.hpp"
#include "sequences.hpp"
#include "value/board_network.hpp"
#include "weighing.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// Has the interface of BestSequence (best_sequence.hpp).
class Plies {
 public:
  // Setting `stop` cuts a choice short.
  Plies(const Rules& rules, const Agent& agent, const int32_t* stop = nullptr)
      : rules_(rules),
        agent_(agent),
        net_(*agent.value.board_network),
        stop_(stop),
        knows_next_(net_.outputs > 1),
        network_(net_),
        root_(net_),
        parent_(net_) {}

  bool find(const Game& game, int length, bool at_sides, int64_t& placements) {
    return find(game, length, at_sides, nullptr, placements);
  }

  bool find_among(const Game& game, int length, bool at_sides, const PlacementSet& among, int64_t& placements) {
    return find(game, length, at_sides, &among, placements);
  }

  const Placement& first() const { return first_; }
  float value() const { return float(double(best_) / double(int64_t{1} << net_.value_bits)); }  // in lines

 private:
  static constexpr int64_t none = no_value;
  static constexpr int boards_at_once = BoardNetwork::boards_at_once;

  // A placement, and the lines that it removes.
  struct After {
    Placement placement;
    int32_t lines;
  };

  // Boards that wait for their values.
  struct Lot {
    Board board[boards_at_once];
    After after[boards_at_once];
    int count;
  };

  bool find(const Game& game, int length, bool at_sides, const PlacementSet* among, int64_t& placements) {
    placements_ = 0;
    best_ = none;
    const int next = length > 1 ? game.known[1] : no_piece;
    const auto may_begin = [&](const Shape& shape, int x, int y) {
      return (!among || among->has(shape.number, x, y)) && (!at_sides || is_at_side(rules_, shape, x));
    };
    const auto challenge = [&](const After& after, int64_t value) {
      if (value > best_) best_ = value, first_ = after.placement;
    };
    const Piece& piece = rules_.piece[game.known[0]];
    network_.keep(game.board, root_);
    if (agent_.plies == 1) {
      value_all(root_, game.board, piece, game.outcome.lines, may_begin,
                [&](const After& after, const Board& board, const int32_t* values) {
                  challenge(after, worth(after.lines) + value_with(board, next, values));
                });
    } else {
      const int64_t lines = game.outcome.lines;
      for_each_after(game.board, piece, lines, may_begin, [&](const After& after, const Board& board) {
        challenge(after, worth(after.lines) + mean(agent_.plies - 1, board, next, game.generator, lines + after.lines));
      });
    }
    placements += placements_;
    return best_ > none;
  }

  int64_t worth(int lines) const { return int64_t(lines) << net_.value_bits; }

  bool can_appear(const Board& board, int piece) const {
    return !rules_.block_out_loses || has_room(board, rules_.piece[piece]);
  }

  // V of a board with this piece in hand; 0 after a script's end.
  int64_t value_with(const Board& board, int piece, const int32_t* values) const {
    if (!knows_next_) return values[0];
    return piece != no_piece && can_appear(board, piece) ? values[piece] : 0;
  }

  // Calls visit(after, board) for every placement that does not lose and that `may` allows, in order.
  template <class May, class Visit>
  void for_each_after(const Board& board, const Piece& piece, int64_t lines, const May& may, const Visit& visit) {
    for_each_placement(rules_, board, piece, lines, [&](const Shape& shape, int x, int y) {
      if (!may(shape, x, y) || y > shape.highest_row) return;
      Board next = board;
      const int gone = bit_count(lock_and_clear(rules_, next, shape, x, y));
      visit(After{{shape.piece, shape.number, uint8_t(x), uint8_t(y)}, gone}, next);
    });
  }

  // The same, with the values of the board after each placement: visit(after, board, values). `layers` are those of
  // `board`.
  template <class May, class Visit>
  void value_all(const BoardNetwork::Layers& layers, const Board& board, const Piece& piece, int64_t lines,
                 const May& may, const Visit& visit) {
    Lot lot;
    lot.count = 0;
    const auto finish = [&] {
      int32_t values[boards_at_once * piece_kinds];
      network_.values(layers, lot.board, lot.count, values);
      for (int n = 0; n < lot.count; ++n) visit(lot.after[n], lot.board[n], values + n * net_.outputs);
      lot.count = 0;
    };
    const auto counted = [&](const Shape& shape, int x, int y) {
      ++placements_;
      return may(shape, x, y);
    };
    for_each_after(board, piece, lines, counted, [&](const After& after, const Board& next) {
      lot.board[lot.count] = next;
      lot.after[lot.count++] = after;
      if (lot.count == boards_at_once) finish();
    });
    if (lot.count) finish();
  }

  // Q of a board, with this many plies of means. `piece` is in hand if the next piece is known.
  int64_t mean(int plies, const Board& board, int piece, const Generator& generator, int64_t lines) {
    return knows_next_ ? mean_after(plies, board, piece, generator, lines) : mean_over(plies, board, generator, lines);
  }

  static constexpr auto any_placement = [](const Shape&, int, int) { return true; };

  int64_t mean_after(int plies, const Board& board, int piece, const Generator& generator, int64_t lines) {
    if (piece == no_piece || !can_appear(board, piece) || stopped()) return 0;
    int64_t share[piece_kinds], best[piece_kinds];
    find_shares(generator, rules_, share);
    for (int64_t& value : best) value = none;
    const auto challenge = [&](int m, int64_t value) {
      if (value > best[m]) best[m] = value;
    };
    if (plies == 1) {
      network_.keep(board, root_, parent_);
      value_all(parent_, board, rules_.piece[piece], lines, any_placement,
                [&](const After& after, const Board& left, const int32_t* values) {
                  for (int m = 0; m < piece_kinds; ++m)
                    if (share[m]) challenge(m, worth(after.lines) + value_with(left, m, values));
                });
    } else {
      for_each_after(board, rules_.piece[piece], lines, any_placement, [&](const After& after, const Board& left) {
        for (int m = 0; m < piece_kinds; ++m)
          if (share[m])
            challenge(m, worth(after.lines) + mean_after(plies - 1, left, m, dealt(generator, m), lines + after.lines));
      });
    }
    return weigh(share, best);
  }

  int64_t mean_over(int plies, const Board& board, const Generator& generator, int64_t lines) {
    if (stopped()) return 0;
    int64_t share[piece_kinds], best[piece_kinds];
    find_shares(generator, rules_, share);
    if (plies == 1) network_.keep(board, root_, parent_);
    for (int m = 0; m < piece_kinds; ++m) {
      best[m] = none;
      if (!share[m] || !can_appear(board, m)) continue;
      const auto challenge = [&](int64_t value) {
        if (value > best[m]) best[m] = value;
      };
      if (plies == 1)
        value_all(parent_, board, rules_.piece[m], lines, any_placement,
                  [&](const After& after, const Board&, const int32_t* values) {
                    challenge(worth(after.lines) + values[0]);
                  });
      else
        for_each_after(board, rules_.piece[m], lines, any_placement, [&](const After& after, const Board& left) {
          challenge(worth(after.lines) + mean_over(plies - 1, left, dealt(generator, m), lines + after.lines));
        });
    }
    return weigh(share, best);
  }

  // The placement chosen after a stop is legal, but it is not used.
  bool stopped() const { return stop_ && load_atomically(*stop_); }

  Generator dealt(Generator generator, int piece) const {
    take_as_dealt(generator, rules_, uint8_t(piece));
    return generator;
  }

  const Rules& rules_;
  const Agent& agent_;
  const BoardNetworkData& net_;
  const int32_t* const stop_;
  const bool knows_next_;
  BoardNetwork network_;
  BoardNetwork::Layers root_, parent_;  // of the game's board, and of the last board whose placements were valued
  int64_t placements_ = 0;
  int64_t best_ = none;
  Placement first_{};
};

}  // namespace blockfall::BLOCKFALL_ARCH
