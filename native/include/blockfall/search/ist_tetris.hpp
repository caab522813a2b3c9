// Tetris as ist2015's search problem: 18 rows, 10 columns, a list of pieces, each dropped straight down. Pieces and
// points are those of the rule set `ist`.
//
// A drop that leaves a cell in row 17 loses: no row is removed, no points are earned, and the state has no actions.
// Cells above row 17 vanish. The document minimises costs and heuristics, so their signs are reversed here.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../rules.hpp"
#include "problem.hpp"

namespace blockfall::search {

class IstTetris {
 public:
  static constexpr int columns = 10, rows = 18;

  struct State {
    std::array<uint32_t, columns> column;  // bit 0 is the floor row
    int32_t points;
    int32_t placed;  // pieces so far
  };
  struct Action {
    uint8_t column, orientation;
    bool operator==(const Action&) const = default;
  };

  enum class Cost : uint8_t { opportunity, quality };

  // The document's h1 to h5, each with its weight; `lines` bounds what the cells on the board can still earn.
  struct Heuristic {
    double max_height = 0, bumpiness = 0, heights_sum = 0, holes = 0, points = 0;
    bool lines = false;
    bool weighs() const { return max_height != 0 || bumpiness != 0 || heights_sum != 0 || holes != 0 || points != 0; }
  };

  IstTetris(const Rules& rules, const std::array<uint32_t, columns>& board, const std::string& pieces, Cost cost,
            const Heuristic& heuristic, int32_t points = 0)
      : board_(board), pieces_(pieces), points_(points), cost_(cost), heuristic_(heuristic) {
    if (rules.columns != columns || rules.rows != rows || rules.height_limit != rows - 1)
      throw std::invalid_argument("ist2015's board has 10 columns and 18 rows, and the top row loses");
    for (int lines = 1; lines <= cells_per_piece; ++lines)
      line_points_[size_t(lines)] = int32_t(rules.line_score[lines - 1]);
    for (size_t kind = 0; kind < piece_.size(); ++kind) {
      const blockfall::Piece& from = rules.piece[kind];
      piece_[kind].orientations = from.shapes;
      for (int o = 0; o < from.shapes; ++o) {
        Shape& shape = piece_[kind].shape[size_t(o)];
        shape.width = from.shape[o].width;
        std::copy(std::begin(from.shape[o].column), std::end(from.shape[o].column), shape.column);
      }
    }
    for (char letter : pieces) kinds_.push_back(kind_of(letter));
    if (scalar::full_rows(board.data(), columns)) free_ = line_points_[cells_per_piece];
    int cells = 4 * int(pieces.size());
    for (uint32_t c : board) cells += std::popcount(c);
    const int max_lines = cells / columns;
    left_.assign(pieces.size() + 1, 0);
    most_.assign(pieces.size() + 1, std::vector<int32_t>(size_t(max_lines + 1), 0));
    for (size_t i = pieces.size(); i-- > 0;) {
      const int lines_at_once = most_lines(pieces[i]);
      left_[i] = left_[i + 1] + line_points_[size_t(lines_at_once)];
      for (int lines = 0; lines <= max_lines; ++lines)
        for (int now = 0; now <= std::min(lines, lines_at_once); ++now)
          most_[i][size_t(lines)] =
              std::max(most_[i][size_t(lines)], line_points_[size_t(now)] + most_[i + 1][size_t(lines - now)]);
    }
  }

  Traits traits() const {
    const bool admissible = !heuristic_.weighs() && (heuristic_.lines || cost_ == Cost::opportunity);
    return {.admissible = admissible,
            .costs_only = cost_ == Cost::opportunity && free_ == 0,
            .acyclic = true,
            .skip_seen = false,
            .ties = Ties::last,
            .proof_nodes = 100'000'000};
  }

  State start() const { return {board_, points_, 0}; }

  static bool is_lost(const State& state) {
    uint32_t any = 0;
    for (uint32_t c : state.column) any |= c;
    return any >> (rows - 1) & 1;
  }

  bool is_goal(const State& state) const { return size_t(state.placed) == pieces_.size() && !is_lost(state); }

  void actions(const State& state, std::vector<Action>& out) const {
    out.clear();
    if (size_t(state.placed) == pieces_.size() || is_lost(state)) return;
    const Piece& piece = piece_[kinds_[size_t(state.placed)]];
    for (int o = 0; o < piece.orientations; ++o)
      for (int x = 0; x + piece.shape[size_t(o)].width <= columns; ++x) out.push_back({uint8_t(x), uint8_t(o)});
  }

  Step<State> result(const State& state, const Action& action) const {
    const size_t placed = size_t(state.placed);
    const Shape& shape = piece_[kinds_[placed]].shape[action.orientation];
    Step<State> step{state, 0};
    State& next = step.state;
    ++next.placed;
    int y = 0;
    for (int i = 0; i < shape.width; ++i) {
      const int height = 32 - std::countl_zero(state.column[size_t(action.column + i)]);
      y = std::max(y, height - std::countr_zero(shape.column[i]));
    }
    constexpr uint32_t inside = (1u << rows) - 1;
    for (int i = 0; i < shape.width; ++i) next.column[size_t(action.column + i)] |= shape.column[i] << y & inside;
    if (!is_lost(next))
      next.points +=
          line_points_[size_t(std::min(remove_full(next), 4))];  // a board that was set up may have full rows
    step.reward = next.points - state.points;
    if (cost_ == Cost::opportunity) step.reward -= line_points_[size_t(most_lines(pieces_[placed]))];
    return step;
  }

  double heuristic(const State& state) const {
    double h = 0;
    if (heuristic_.lines) {
      h += most_left(state);
      if (cost_ == Cost::opportunity) h -= left_[size_t(state.placed)];
    }
    const Heuristic& w = heuristic_;
    if (!w.weighs()) return state.placed == 0 ? h + free_ : h;
    int highest = 0, bumpiness = 0, sum = 0, filled = 0, before = 0;
    for (int i = 0; i < columns; ++i) {
      const int height = 32 - std::countl_zero(state.column[size_t(i)]);
      highest = std::max(highest, height);
      if (i > 0) bumpiness += std::abs(height - before);
      sum += height;
      filled += std::popcount(state.column[size_t(i)]);
      before = height;
    }
    const double minimised = w.max_height * highest + w.bumpiness * bumpiness + w.heights_sum * sum +
                             w.holes * (sum - filled) + w.points * state.points;
    return h - minimised;
  }

  uint64_t hash(const State& state) const {
    uint64_t hash = uint64_t(uint32_t(state.placed)) << 32 | uint32_t(state.points);
    for (size_t i = 0; i < columns; i += 2) {
      hash ^= uint64_t(state.column[i]) << 32 | state.column[i + 1];
      hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
      hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u;
    }
    return hash ^ hash >> 32;
  }

  uint64_t code(const State& state, const Action& action) const {
    return uint64_t(state.placed) << 8 | uint64_t(action.orientation) << 4 | action.column;
  }

  double points(const State& state, double) const { return state.points; }
  double stage(const State& state) const { return state.placed; }

  static std::string name(char piece, const Action& action) {
    return std::string(1, piece) + char('0' + action.orientation);
  }
  const std::string& pieces() const { return pieces_; }

  static bool is_piece(char letter) { return letters.find(letter) != std::string_view::npos; }

 private:
  struct Shape {
    int32_t width;
    uint32_t column[4];  // bit 0 is its lowest row
  };
  struct Piece {
    int32_t orientations;
    std::array<Shape, 4> shape;
  };
  static constexpr std::string_view letters = "iotszjl";  // in the order of PieceKind
  static uint8_t kind_of(char letter) { return uint8_t(letters.find(letter)); }

  // The most lines that a drop of the piece can remove (ist2015).
  static int most_lines(char letter) { return letter == 'i' ? 4 : letter == 'j' || letter == 'l' ? 3 : 2; }

  static int remove_full(State& state) {
    const uint32_t full = scalar::full_rows(state.column.data(), columns);
    scalar::remove_rows(state.column.data(), full, columns);
    return std::popcount(full);
  }

  // The most that the remaining pieces can earn. No drop removes more lines than its piece can, and the remaining cells
  // fill at most the rows that lack the fewest cells.
  double most_left(const State& state) const {
    uint32_t count[4] = {};  // the number of cells in each row, one bit of it per word
    for (uint32_t carry : state.column)
      for (uint32_t& bit : count) {
        const uint32_t sum = bit ^ carry;
        carry &= bit;
        bit = sum;
      }
    std::array<uint8_t, columns + 1> rows_lacking{};
    uint32_t any = count[0] | count[1] | count[2] | count[3];
    for (; any; any &= any - 1) {
      const int row = std::countr_zero(any);
      int filled = 0;
      for (int bit = 0; bit < 4; ++bit) filled |= int(count[bit] >> row & 1) << bit;
      ++rows_lacking[size_t(columns - filled)];
    }
    const size_t placed = size_t(state.placed);
    int cells = 4 * int(pieces_.size() - placed), lines = 0;
    for (int lack = 1; lack <= columns; ++lack) {
      const int more = lack < columns ? std::min<int>(rows_lacking[size_t(lack)], cells / lack) : cells / lack;
      lines += more;
      cells -= more * lack;
    }
    return most_[placed][std::min(size_t(lines), most_[placed].size() - 1)];
  }

  std::array<Piece, piece_kinds> piece_{};
  std::array<int32_t, cells_per_piece + 1> line_points_{};
  std::array<uint32_t, columns> board_;
  std::string pieces_;
  std::vector<uint8_t> kinds_;  // of pieces
  int32_t points_;
  int32_t free_ = 0;  // points that the first drop gets for full rows of the given board, whatever its piece
  Cost cost_;
  Heuristic heuristic_;
  std::vector<int32_t> left_;               // the most that the pieces from here on could earn
  std::vector<std::vector<int32_t>> most_;  // the same, by the number of lines that can be removed
};

}  // namespace blockfall::search
