// Hopeless played fast: a walk that knows its blocks, for playouts, and a position that knows its squares, for
// annealing.
#pragma once

#include "hopeless.hpp"
#include "walk.hpp"

namespace blockfall::search {

// Keeps the list of blocks from move to move: only those near the last one are looked for again.
template <class Game>
class HopelessWalk {
 public:
  using State = typename Game::State;
  using Action = typename Game::Action;
  using Block = typename Game::Block;

  explicit HopelessWalk(const Game& game)
      : game_(&game), state_(game.start()), tabu_bias_(game.tuning().tabu_bias * float(game.stage(state_))) {
    look(0, game.columns() - 1);
  }

  size_t moves() const { return known_.size(); }
  uint32_t code(size_t i) const { return known_[i].code; }
  float bias(size_t i) const { return known_[i].bias; }
  const State& state() const { return state_; }
  double earned() const { return earned_; }
  const std::vector<Action>& path() const { return path_; }
  bool is_goal() const { return moves() == 0; }
  size_t bytes() const { return sizeof *this + known_.capacity() * sizeof(Known) + path_.capacity() * sizeof(Action); }
  uint32_t node = no_node;

  void play(size_t i) {
    const Action name = known_[i].name;
    const Block block = game_->block_at(state_, name);
    const auto removal = game_->remove(state_, block);
    path_.push_back(name);
    earned_ += removal.reward;
    const int end = game_->columns() - 1;
    const int first = std::max(0, block.first - 1);
    const int last = removal.closed ? end : std::min(end, block.last + 1);
    std::erase_if(known_, [&](const Known& known) { return known.last >= first && known.first <= last; });
    look(first, last);
  }

 private:
  struct Known {
    uint32_t code;
    float bias;
    Action name;
    uint8_t first, last;
  };

  void look(int first, int last) {
    game_->for_each_block(state_, first, last, [&](const Block& block) {
      known_.push_back({Game::code(block), block.colour == game_->tabu() ? tabu_bias_ : size_bias(block.size),
                        block.name(), uint8_t(block.first), uint8_t(block.last)});
    });
  }

  // Playouts like larger blocks, as in generalised NRPA (Cazenave 2020).
  float size_bias(int size) const {
    return game_->tuning().size_bias * float(std::min(size - 2, game_->tuning().max_size_bias));
  }

  const Game* game_;
  State state_;
  float tabu_bias_;  // small boards are explored, large ones leave no time for it
  std::vector<Known> known_;
  std::vector<Action> path_;
  double earned_ = 0;
};

// A move is named by where one of its squares was at the start. So it keeps its meaning when other moves come or go
// before it: the block is then larger, smaller or elsewhere, but it holds that square.
template <class Word, int Columns, int Colours>
class HopelessPosition {
 public:
  using Game = Hopeless<Word, Columns, Colours>;
  using State = typename Game::State;
  using Action = typename Game::Action;
  using Block = typename Game::Block;
  using Move = HopelessMove;

  explicit HopelessPosition(const Game& game) : game_(&game), board_(game.start()) {
    for (int i = 0; i < Columns; ++i) {
      for (const auto& colour : board_.cells) present_[size_t(i)] |= colour[size_t(i)];
      column_[size_t(i)] = present_[size_t(i)] ? uint8_t(i) : gone;
    }
  }

  bool is_goal() const { return game_->is_goal(board_); }
  bool is_over() const { return is_goal(); }
  double earned() const { return earned_ + (is_goal() ? game_->settlement(board_) : 0); }
  State state() const { return Game::hashed(board_); }

  // What the end of a line is worth to annealing: a board that is nearly empty is nearly worth the bonus, so that there
  // is a way from one empty board to another.
  double value() const {
    const double nearly = game_->scoring().clear_bonus * (1 + game_->tuning().square_left * game_->stage(board_));
    return earned_ + std::max<double>(game_->settlement(board_), nearly);
  }

  // Makes the move, if its square is still there and has a neighbour of its colour.
  bool play(Move move) {
    const Square square = find(move);
    if (square.column < 0 || !has_neighbour(square)) return false;
    remove(Game::flood(board_.cells[size_t(square.colour)], square.colour, square.column, square.bit));
    return true;
  }

  // The game's name of a move that can be made.
  Action action(Move move) const {
    const Square square = find(move);
    return Game::flood(board_.cells[size_t(square.colour)], square.colour, square.column, square.bit).name();
  }

  // The block of any square, but the commonest colour's seldom where there is another. Squares at random find one
  // quickly where there are many; where there are few, all blocks are looked at.
  Move draw(Random& random) const {
    constexpr int tries = 20;
    for (int i = 0; i < tries; ++i) {
      const size_t column = random.below(uint32_t(game_->columns()));
      if (!present_[column]) continue;
      const Word bit = Word(Word{1} << random.below(uint32_t(std::popcount(present_[column]))));
      const Move drawn = move_at(column, bit);
      const Square square = find(drawn);
      if (square.colour == game_->tabu() && random.uniform() >= game_->tuning().tabu_draw) continue;
      if (has_neighbour(square)) return drawn;
    }
    return draw_block(random);
  }

 private:
  static constexpr uint8_t gone = 255;
  struct Square {
    int column, colour;
    Word bit;
  };

  // Of its colour.
  bool has_neighbour(const Square& square) const {
    const auto& c = board_.cells[size_t(square.colour)];
    const auto i = size_t(square.column);
    Word beside = Word(c[i] & Word(square.bit << 1 | square.bit >> 1));
    if (i > 0) beside |= c[i - 1] & square.bit;
    if (i + 1 < Columns) beside |= c[i + 1] & square.bit;
    return beside != 0;
  }

  Move draw_block(Random& random) const {
    Block drawn;
    uint32_t seen = 0;
    const bool any = random.uniform() < game_->tuning().tabu_draw;
    bool is_tabu = !any;
    game_->for_each_block(board_, 0, game_->columns() - 1, [&](const Block& block) {
      const bool tabu = block.colour == game_->tabu() && !any;
      if (tabu && !is_tabu) return;
      if (!tabu && is_tabu) seen = 0, is_tabu = false;
      if (random.below(++seen) == 0) drawn = block;
    });
    const auto i = size_t(drawn.first);
    return move_at(i, Word(drawn.cells[i] & -drawn.cells[i]));
  }

  // The name of the square that is there now.
  Move move_at(size_t column, Word bit) const {
    return {column_[column], uint8_t(std::countr_zero(spread(bit, present_[column])))};
  }

  // Where the square is now; no column if it was removed.
  Square find(Move move) const {
    int i = move.column;
    while (i >= 0 && column_[size_t(i)] != move.column) --i;  // columns only move to the left
    if (i < 0 || !(present_[size_t(i)] >> move.row & 1)) return {-1, 0, 0};
    const Word below = Word(present_[size_t(i)] & ((Word{1} << move.row) - 1));
    const Word bit = Word(Word{1} << std::popcount(below));
    int colour = 0;
    while (!(board_.cells[size_t(colour)][size_t(i)] & bit)) ++colour;
    return {i, colour, bit};
  }

  void remove(const Block& block) {
    bool closes = false;
    for (auto i = size_t(block.first); i <= size_t(block.last); ++i) {
      for (auto& colour : board_.cells) colour[i] = Game::fallen(colour[i], block.cells[i]);
      present_[i] &= Word(~spread(block.cells[i], present_[i]));
      closes |= present_[i] == 0;
    }
    if (closes) close_columns(size_t(block.first));
    earned_ += game_->worth(block.size);
  }

  void close_columns(size_t to) {
    for (size_t i = to; i < Columns; ++i)
      if (present_[i]) move_column(i, to++);
    for (; to < Columns; ++to) {
      for (auto& colour : board_.cells) colour[to] = 0;
      present_[to] = 0;
      column_[to] = gone;
    }
  }

  void move_column(size_t from, size_t to) {
    for (auto& colour : board_.cells) colour[to] = colour[from];
    present_[to] = present_[from];
    column_[to] = column_[from];
  }

  // The bits of `packed`, the lowest first, put where those of `places` are: from rows now to rows at the start.
  static Word spread(Word packed, Word places) {
    Word out = 0;
    for (; packed; packed >>= 1) {
      const Word lowest = Word(places & -places);
      if (packed & 1) out |= lowest;
      places ^= lowest;
    }
    return out;
  }

  const Game* game_;
  State board_;                            // its hash is not kept up
  std::array<Word, Columns> present_{};    // by column, the squares that are left, in the rows of the start
  std::array<uint8_t, Columns> column_{};  // which one it was at the start
  int32_t earned_ = 0;
};

template <class Word, int Columns, int Colours>
struct WalkOf<Hopeless<Word, Columns, Colours>> {
  using type = HopelessWalk<Hopeless<Word, Columns, Colours>>;
};
template <class Word, int Columns, int Colours>
struct PositionOf<Hopeless<Word, Columns, Colours>> {
  using type = HopelessPosition<Word, Columns, Colours>;
};

}  // namespace blockfall::search
