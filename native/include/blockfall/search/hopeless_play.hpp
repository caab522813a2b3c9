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
      if (present_[size_t(i)]) standing_ |= uint32_t{1} << i;
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

  // The block of any square, but the commonest colour's seldom where there is another.
  Move draw(Random& random) const {
    Squares paired = with_neighbours(random.uniform() < game_->tuning().tabu_draw ? -1 : game_->tabu());
    int count = Game::squares(paired);
    if (count == 0) paired = with_neighbours(-1), count = Game::squares(paired);
    int left = int(random.below(uint32_t(count)));
    size_t column = 0;
    for (int here; left >= (here = std::popcount(paired[column])); ++column) left -= here;
    return move_at(column, spread(Word(Word{1} << left), paired[column]));
  }

 private:
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

  using Squares = std::array<Word, Columns>;

  // The squares that have a neighbour of their colour, but for one colour.
  Squares with_neighbours(int but) const {
    Squares paired{};
    for (int colour = 0; colour < Colours; ++colour) {
      if (colour == but) continue;
      const Squares& c = board_.cells[size_t(colour)];
      Squares beside;
      for (size_t i = 0; i < Columns; ++i) beside[i] = Word(c[i] << 1 | c[i] >> 1);
      for (size_t i = 1; i < Columns; ++i) beside[i] |= c[i - 1];
      for (size_t i = 0; i + 1 < Columns; ++i) beside[i] |= c[i + 1];
      for (size_t i = 0; i < Columns; ++i) paired[i] |= c[i] & beside[i];
    }
    return paired;
  }

  // The name of the square that is there now.
  Move move_at(size_t column, Word bit) const {
    const int start = std::countr_zero(spread(uint32_t{1} << column, standing_));
    return {uint8_t(start), uint8_t(std::countr_zero(spread(bit, present_[size_t(start)])))};
  }

  // Where the square is now; no column if it was removed.
  Square find(Move move) const {
    const Word present = present_[move.column];
    if (!(present >> move.row & 1)) return {-1, 0, 0};
    const int i = rank(standing_, move.column);
    const Word bit = Word(Word{1} << rank(present, move.row));
    int colour = 0;
    while (!(board_.cells[size_t(colour)][size_t(i)] & bit)) ++colour;
    return {i, colour, bit};
  }

  void remove(const Block& block) {
    uint32_t empty = 0;
    uint32_t starts = standing_ & -spread(uint32_t{1} << block.first, standing_);
    for (auto i = size_t(block.first); i <= size_t(block.last); ++i, starts &= starts - 1) {
      Game::take_out(board_, i, block.cells[i]);
      Word& present = present_[size_t(std::countr_zero(starts))];
      present &= Word(~spread(block.cells[i], present));
      if (!present) empty |= starts & -starts;
    }
    if (empty) close_columns(empty);
    earned_ += game_->worth(block.size);
  }

  void close_columns(uint32_t empty) {
    for (; empty; empty &= empty - 1) {
      const int start = std::countr_zero(empty);
      for (auto& colour : board_.cells) {
        std::shift_left(colour.begin() + rank(standing_, start), colour.end(), 1);
        colour.back() = 0;
      }
      standing_ ^= empty & -empty;
    }
  }

  // How many bits are set below a bit.
  template <class Bits>
  static int rank(Bits bits, int bit) {
    return std::popcount(Bits(bits & ((Bits{1} << bit) - 1)));
  }

  // The bits of `packed`, the lowest first, put where those of `places` are: from what is now to what was at the start.
  template <class Bits>
  static Bits spread(Bits packed, Bits places) {
    Bits out = 0;
    for (; packed; packed >>= 1) {
      const Bits rest = Bits(places & (places - 1));
      out |= (places ^ rest) & -(packed & 1);
      places = rest;
    }
    return out;
  }

  const Game* game_;
  State board_;                          // its hash is not kept up
  std::array<Word, Columns> present_{};  // by column of the start, the squares that are left, in the rows of the start
  uint32_t standing_ = 0;                // the columns of the start that are left
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
