// Hopeless and its family (feup2016; SameGame, Schadd et al. 2008): blocks of equal colour are removed, squares fall,
// empty columns close.
//
//     row 1   2 1 .     cells[colour 1] = {0b01, 0b10, 0b01}, one word per column, bit 0 the floor row
//     row 0   1 2 1     cells[colour 2] = {0b10, 0b01, 0b00}
//
// A block is named by its first cell, row by row from the top and from left to right; so are moves, in that order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <string>

#include "blocks.hpp"
#include "problem.hpp"
#include "squares.hpp"

namespace blockfall::search {

inline constexpr int max_hopeless_size = 32, max_hopeless_colours = 9;

// The worth of blocks, as data.
struct Scoring {
  std::vector<int32_t> points;    // of a block, by its number of squares; none for 0 and 1
  int32_t clear_bonus = 0;        // for an empty board
  bool leftover_penalty = false;  // at the end, each colour left costs what its squares would earn as one block
};

// A board as given: colours 1 to 9, or 0 for empty, column by column from the left, floor row first.
struct HopelessBoard {
  int32_t columns, rows;
  std::vector<uint8_t> cells;
};

// Tuned numbers, as data: see tuning.toml.
struct HopelessTuning {
  struct Promise {
    double whole = 0;   // factor of a colour's worth as one block
    double blocks = 0;  // factor of its blocks' worth now
    double toll = 0;    // cost of each piece that it is in, in blocks of four
  };
  Promise tabu, other;        // for the commonest colour and for the others
  float size_bias = 0;        // a playout's preference for a block, per square over two
  int32_t max_size_bias = 0;  // the most squares over two that count
  float tabu_bias = 0;        // its aversion to the commonest colour, per square of the board
  double square_left = 0;     // annealing: the share of the bonus that each square left costs
  double tabu_draw = 0;       // annealing: the chance to allow a new move of the colour kept for the end
};

// Word holds a column's rows; Columns and Colours are the most that fit.
template <class Word, int Columns, int Colours>
class Hopeless {
 public:
  struct State {
    std::array<std::array<Word, Columns>, Colours> cells{};
    uint64_t hash = 0;
  };
  using Action = HopelessMove;

  using Block = search::Block<Word, Columns>;

  Hopeless(const HopelessBoard& board, const Scoring& scoring, const HopelessTuning& tuning)
      : columns_(board.columns),
        column_bytes_((board.rows + 7) / 8),
        scoring_(std::make_shared<Scoring>(scoring)),
        tuning_(tuning) {
    for (uint8_t cell : board.cells) colours_ = std::max<int32_t>(colours_, cell);
    for (int i = 0; i < board.columns; ++i)
      for (int y = 0; y < board.rows; ++y)
        if (const int colour = board.cells[size_t(i * board.rows + y)])
          start_.cells[size_t(colour - 1)][size_t(i)] |= Word(Word{1} << y),
              squares_start_.colour[i][y] = uint8_t(colour);
    start_ = hashed(start_);
    squares_start_.points = scoring_->points.data();
    most_ = most_by_count(scoring, board.columns * board.rows);
    toll_ = scoring.points[std::min<size_t>(4, scoring.points.size() - 1)];
    std::iota(commonest_.begin(), commonest_.end(), 0);
    std::stable_sort(commonest_.begin(), commonest_.end(),
                     [&](int a, int b) { return squares(start_.cells[size_t(a)]) > squares(start_.cells[size_t(b)]); });
  }

  Traits traits() const {
    const bool small = stage(start_) >= -64;  // squares; proofs end within seconds
    return {.admissible = true, .acyclic = true, .ties = Ties::larger_g, .proof_nodes = small ? 2'000'000 : 20'000};
  }
  const State& start() const { return start_; }
  int columns() const { return columns_; }
  const Scoring& scoring() const { return *scoring_; }
  const HopelessTuning& tuning() const { return tuning_; }
  const SquaresStart& squares_start() const { return squares_start_; }
  // The colour kept for the end, where it becomes one large block: the commonest, or the next one.
  int tabu(size_t rank = 0) const { return commonest_[rank]; }
  int worth(int size) const { return scoring_->points[size_t(size)]; }

  bool is_goal(const State& state) const {
    Word pairs = 0;
    for (const auto& c : state.cells)
      for (int i = 0; i < Columns; ++i) {
        pairs |= Word(c[size_t(i)] & (c[size_t(i)] >> 1));
        if (i > 0) pairs |= Word(c[size_t(i)] & c[size_t(i - 1)]);
      }
    return pairs == 0;
  }

  void actions(const State& state, std::vector<Action>& out) const {
    out.clear();
    for_each_block(state, 0, columns_ - 1, [&](const Block& block) { out.push_back(block.name()); });
    std::sort(out.begin(), out.end(),
              [](Action a, Action b) { return a.row != b.row ? a.row > b.row : a.column < b.column; });
  }

  Step<State> result(const State& state, const Action& action) const {
    Step<State> step{state, 0};
    step.reward = remove(step.state, block_at(state, action)).reward;
    return step;
  }

  // Every colour as one block, plus the bonus if no colour has a single square (feup2016's heuristic).
  double heuristic(const State& state) const {
    int sum = 0;
    bool clears = true;
    for (const auto& colour : state.cells) {
      const int count = squares(colour);
      sum += most_[size_t(count)];
      clears &= count != 1;
    }
    return sum + (clears && state.hash ? scoring_->clear_bonus : 0);
  }

  uint64_t hash(const State& state) const { return state.hash; }
  double points(const State&, double earned) const { return earned; }

  // All blocks on the board can be removed, from the top: none breaks up another.
  double sure(const State& state) const {
    int sum = 0;
    for_each_block(state, 0, columns_ - 1, [&](const Block& block) { sum += worth(block.size); });
    return sum;
  }

  // A board's rank in a beam: the worth of its blocks now and of each colour as one block, minus a toll for every piece
  // that the colour is in; the commonest colour counts most.
  double promise(const State& state, double earned) const {
    std::array<int32_t, Colours> pieces, blocks{};
    for (int colour = 0; colour < Colours; ++colour) pieces[size_t(colour)] = squares(state.cells[size_t(colour)]);
    double value = earned;
    for (int colour = 0; colour < Colours; ++colour)
      value += promise_of(colour).whole * most_[size_t(pieces[size_t(colour)])];
    for_each_block(state, 0, columns_ - 1, [&](const Block& block) {
      blocks[size_t(block.colour)] += worth(block.size);
      pieces[size_t(block.colour)] -= block.size - 1;
    });
    for (int colour = 0; colour < Colours; ++colour) {
      value += promise_of(colour).blocks * blocks[size_t(colour)];
      value -= promise_of(colour).toll * toll_ * pieces[size_t(colour)];
    }
    return value;
  }

  double stage(const State& state) const {
    int left = 0;
    for (const auto& colour : state.cells) left += squares(colour);
    return -left;
  }

  static int squares(const std::array<Word, Columns>& colour) {
    int count = 0;
    for (Word word : colour) count += std::popcount(word);
    return count;
  }

  static State hashed(State state) {
    state.hash = 0;
    for (int i = 0; i < Columns; ++i) state.hash += column_hash(state, i);
    return state;
  }

  // A packed board has the bits of each square's colour (0: empty) in planes, a few bytes per column and plane; the
  // hash is computed again.
  size_t packed_bytes() const { return size_t(columns_ * planes() * column_bytes_); }

  void pack(const State& state, uint8_t* to) const {
    for (size_t i = 0; i < size_t(columns_); ++i)
      for (int plane = 0; plane < planes(); ++plane) {
        Word bits = 0;
        for (int colour = 0; colour < colours_; ++colour)
          if ((colour + 1) >> plane & 1) bits |= state.cells[size_t(colour)][i];
        for (int byte = 0; byte < column_bytes_; ++byte) *to++ = uint8_t(bits >> 8 * byte);
      }
  }

  State unpack(const uint8_t* from) const {
    State state;
    for (size_t i = 0; i < size_t(columns_); ++i) {
      Word planes_of[4] = {};
      for (int plane = 0; plane < planes(); ++plane)
        for (int byte = 0; byte < column_bytes_; ++byte) planes_of[plane] |= Word(Word{*from++} << 8 * byte);
      for (int colour = 0; colour < colours_; ++colour) {
        Word cells = Word(~Word{0});
        for (int plane = 0; plane < planes(); ++plane)
          cells &= (colour + 1) >> plane & 1 ? planes_of[plane] : Word(~planes_of[plane]);
        state.cells[size_t(colour)][i] = cells;
      }
      state.hash += column_hash(state, int(i));
    }
    return state;
  }

  Block block_at(const State& state, Action action) const {
    int colour = 0;
    while (!(state.cells[size_t(colour)][action.column] >> action.row & 1)) ++colour;
    return flood<Word, Columns>(state.cells[size_t(colour)], colour, action.column, Word(Word{1} << action.row));
  }

  struct Removal {
    int32_t reward;  // bonus and penalty included
    bool closed;     // whether a column closed
  };

  // Removes the block, lets squares fall and closes columns.
  Removal remove(State& state, const Block& block) const {
    bool closes = false;
    for (int i = block.first; i <= block.last; ++i) {
      state.hash -= column_hash(state, i);
      closes |= take_out(state, size_t(i), block.cells[size_t(i)]) == 0;
      state.hash += column_hash(state, i);
    }
    if (closes) close_columns(state, block.first);
    int reward = worth(block.size);
    if (state.hash == 0 || (scoring_->leftover_penalty && is_goal(state))) reward += settlement(state);
    return {reward, closes};
  }

  // The bonus or the penalty of a final board.
  int settlement(const State& state) const {
    int left = 0, penalty = 0;
    for (const auto& colour : state.cells) {
      left += squares(colour);
      penalty += worth(squares(colour));
    }
    if (left == 0) return scoring_->clear_bonus;
    return scoring_->leftover_penalty ? -penalty : 0;
  }

  // Calls `see` once with every block that has a cell in the columns from `first` to `last`.
  template <class See>
  void for_each_block(const State& state, int first, int last, See&& see) const {
    for (int colour = 0; colour < Colours; ++colour) {
      const auto& c = state.cells[size_t(colour)];
      std::array<Word, Columns> paired;  // squares that have a neighbour of their colour
      for (int i = first; i <= last; ++i) {
        Word beside = Word(c[size_t(i)] << 1) | Word(c[size_t(i)] >> 1);
        if (i > 0) beside |= c[size_t(i - 1)];
        if (i + 1 < Columns) beside |= c[size_t(i + 1)];
        paired[size_t(i)] = c[size_t(i)] & beside;
      }
      for (int i = first; i <= last; ++i)
        while (paired[size_t(i)]) {
          const Block block = flood<Word, Columns>(c, colour, i, Word(paired[size_t(i)] & -paired[size_t(i)]));
          for (int j = i; j <= std::min(block.last, last); ++j) paired[size_t(j)] &= Word(~block.cells[size_t(j)]);
          see(block);
        }
    }
  }

  // A code for "remove this block", whatever the rest of the board.
  static uint32_t code(const Block& block) {
    uint64_t code = colour_key[size_t(block.colour)];
    for (int i = block.first; i <= block.last; ++i)
      code = (code ^ block.cells[size_t(i)] * column_key[size_t(i)]) * 0x9E3779B97F4A7C15u;
    return uint32_t(code >> 32);
  }

  // Removes squares from a column and lets those above fall. Returns the squares left.
  static Word take_out(State& state, size_t column, Word gone) {
    while (gone) {  // run by run, from the top
      const int top = std::bit_width(gone), length = std::countl_one(Word(gone << (bits - top)));
      const int bottom = top - length;
      const Word below = Word((Word{1} << bottom) - 1);
      for (auto& colour : state.cells) {
        const Word above = Word(uint64_t{colour[column]} >> top << bottom);
        colour[column] = Word((colour[column] & below) | above);
      }
      gone &= below;
    }
    Word left = 0;
    for (const auto& colour : state.cells) left |= colour[column];
    return left;
  }

 private:
  void close_columns(State& state, int first) const {
    for (int i = first; i < columns_; ++i) state.hash -= column_hash(state, i);
    int to = first;
    for (int i = first; i < columns_; ++i) {
      Word any = 0;
      for (const auto& colour : state.cells) any |= colour[size_t(i)];
      if (!any) continue;
      if (to != i)
        for (auto& colour : state.cells) colour[size_t(to)] = colour[size_t(i)];
      ++to;
    }
    for (; to < columns_; ++to)
      for (auto& colour : state.cells) colour[size_t(to)] = 0;
    for (int i = first; i < columns_; ++i) state.hash += column_hash(state, i);
  }

  // The board's hash is a sum over columns, so that a move changes only its own columns' terms. Empty: 0.
  static uint64_t column_hash(const State& state, int i) {
    uint64_t hash = 0;
    for (int colour = 0; colour < Colours; ++colour)
      hash += state.cells[size_t(colour)][size_t(i)] * colour_key[size_t(colour)];
    hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
    return (hash ^ hash >> 29) * column_key[size_t(i)];
  }

  template <size_t N>
  static constexpr std::array<uint64_t, N> keys(uint64_t seed) {
    std::array<uint64_t, N> made{};
    for (uint64_t& key : made) {  // splitmix64, made odd
      uint64_t z = seed += 0x9E3779B97F4A7C15u;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
      z = (z ^ z >> 27) * 0x94D049BB133111EBu;
      key = (z ^ z >> 31) | 1;
    }
    return made;
  }

  // The most that squares of one colour can earn, by their number.
  static std::vector<int32_t> most_by_count(const Scoring& scoring, int count) {
    std::vector<int32_t> most(size_t(count + 1), 0);
    for (int n = 1; n <= count; ++n) {
      most[size_t(n)] = most[size_t(n - 1)];
      for (int block = 2; block <= n; ++block)
        most[size_t(n)] = std::max(most[size_t(n)], scoring.points[size_t(block)] + most[size_t(n - block)]);
    }
    return most;
  }

  int planes() const { return std::bit_width(uint32_t(colours_)); }

  const HopelessTuning::Promise& promise_of(int colour) const {
    return colour == tabu() ? tuning_.tabu : tuning_.other;
  }

  static constexpr int bits = 8 * sizeof(Word);
  static constexpr std::array<uint64_t, Colours> colour_key = keys<Colours>(1);
  static constexpr std::array<uint64_t, Columns> column_key = keys<Columns>(2);

  int32_t columns_, column_bytes_;
  int32_t colours_ = 1;
  std::shared_ptr<const Scoring> scoring_;
  HopelessTuning tuning_;
  State start_;
  SquaresStart squares_start_{};
  std::vector<int32_t> most_;
  int32_t toll_;
  std::array<int32_t, Colours> commonest_;  // colours by their number of squares at the start
};

}  // namespace blockfall::search
