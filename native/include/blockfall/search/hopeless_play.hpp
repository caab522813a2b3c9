// Fast play of Hopeless: a walk that tracks blocks, for playouts, and a position that tracks squares, for annealing.
#pragma once

#include "hopeless.hpp"
#include "walk.hpp"

namespace blockfall::search {

// Keeps the list of blocks from move to move, and searches again only near the last one.
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

  // Playouts prefer larger blocks, as in generalised NRPA (Cazenave 2020).
  float size_bias(int size) const {
    return game_->tuning().size_bias * float(std::min(size - 2, game_->tuning().max_size_bias));
  }

  const Game* game_;
  State state_;
  float tabu_bias_;  // weak on small boards, which leave time to explore; strong on large ones
  std::vector<Known> known_;
  std::vector<Action> path_;
  double earned_ = 0;
};

// A move is named by the starting place of one of its squares, so it keeps its meaning when earlier moves change: the
// block may be larger, smaller or elsewhere, but it contains that square.
template <class Word, int Columns, int Colours>
class HopelessPosition {
 public:
  using Game = Hopeless<Word, Columns, Colours>;
  using State = typename Game::State;
  using Action = typename Game::Action;
  using Board =
      std::conditional_t<(sizeof(Word) * 8 <= 16 && Columns <= 16 && Colours <= 7), SmallSquares, LargeSquares>;
  using Move = HopelessMove;

  explicit HopelessPosition(const Game& game)
      : game_(&game), kernels_(&squares_kernels<Board>()), board_(squares_at<Board>(game.squares_start())) {}

  bool is_over() const { return board_.left == 0 || kernels_->count_paired(board_, 0) == 0; }
  bool is_goal() const { return is_over(); }
  double earned() const { return board_.earned + (is_goal() ? settlement() : 0); }

  State state() const {
    State state;
    for (size_t i = 0; i < Columns; ++i)
      for (int colour = 1; colour <= Colours; ++colour) {
        auto squares = typename Board::Word(~0u);
        for (int k = 0; k < Board::colour_planes; ++k)
          squares &= typename Board::Word(colour >> k & 1 ? board_.plane[k][i] : ~board_.plane[k][i]);
        state.cells[size_t(colour - 1)][i] = Word(squares);
      }
    return Game::hashed(state);
  }

  // The value of a sequence's end to annealing: a nearly empty board is worth nearly the bonus, so that there is a path
  // from one cleared board to another.
  double value() const {
    const double nearly = game_->scoring().clear_bonus * (1 - game_->tuning().square_left * board_.left);
    return board_.earned + std::max<double>(settlement(), nearly);
  }

  // The unit of annealing's temperatures: the worth of a square if every colour were one block.
  double scale() const { return game_->heuristic(game_->start()) / -game_->stage(game_->start()); }

  // Makes the move if its square is still there and has a neighbour of its colour.
  bool play(Move move, HopelessPosition& after) const {
    return kernels_->play(game_->squares_start(), board_, move, after.board_);
  }

  // The game's name for a possible move.
  Action action(Move move) const {
    const int column = std::popcount(board_.standing & ((uint32_t{1} << move.column) - 1));
    int row = 0;
    while (row_at_start(board_, column, row) != move.row) ++row;
    return game_->block_at(state(), {uint8_t(column), uint8_t(row)}).name();
  }

  // The block of any square, but rarely of the colour kept for the end if there is another. Every second line keeps the
  // second commonest colour instead: which of the two is better shows only later.
  Move draw(Random& random, int line) const {
    int but = random.uniform() < game_->tuning().tabu_draw ? 0 : game_->tabu(size_t(line % 2)) + 1;
    int count = kernels_->count_paired(board_, but);
    if (count == 0) but = 0, count = kernels_->count_paired(board_, 0);
    return kernels_->paired(board_, but, int(random.below(uint32_t(count))));
  }

 private:
  // The bonus or the penalty of a final board.
  int settlement() const {
    if (board_.left == 0) return game_->scoring().clear_bonus;
    return game_->scoring().leftover_penalty ? game_->settlement(state()) : 0;
  }

  const Game* game_;
  const SquaresKernels<Board>* kernels_;
  Board board_;
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
