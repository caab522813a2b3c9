// The searches on small problems: known answers, limits and threads. Also run under the sanitizers.
#include "blockfall/dispatch.hpp"
#include "blockfall/search/algorithms.hpp"
#include "blockfall/search/games.hpp"
#include "check.hpp"
#include "sample_rules.hpp"

using namespace blockfall::search;

namespace {

Scoring hopeless_scoring(int squares) {
  Scoring scoring;
  for (int n = 0; n <= squares; ++n) scoring.points.push_back(n < 2 ? 0 : 4 * (n - 1) * (n - 1));
  return scoring;
}

HopelessBoard random_board(int columns, int rows, int colours, uint64_t seed) {
  Random random(seed);
  HopelessBoard board{columns, rows, {}};
  for (int i = 0; i < columns * rows; ++i) board.cells.push_back(uint8_t(1 + random.below(uint32_t(colours))));
  return board;
}

// 1 2 .      The three 1s go for 16, then the four 2s meet and go for 36.
// 1 1 2
// 2 2 1
void test_a_drawn_board() {
  const HopelessBoard board{3, 3, {2, 1, 1, 2, 1, 2, 1, 2, 0}};
  for (const char* exact : {"brute-force", "a-star", "best"}) {
    const auto found = solve_hopeless(board, hopeless_scoring(9), {}, exact, {}, {});
    CHECK(found.found && found.optimal && found.points == 16 + 36);
    CHECK(found.path.size() == 2 && found.path[0].column == 0 && found.path[0].row == 2);
  }
}

// A board as lists of squares, each with its place at the start.
struct PlainSquares {
  struct Square {
    int colour;
    blockfall::HopelessMove name;
  };
  std::vector<std::vector<Square>> columns;

  explicit PlainSquares(const HopelessBoard& board) : columns(size_t(board.columns)) {
    for (int i = 0; i < board.columns; ++i)
      for (int y = 0; y < board.rows; ++y)
        columns[size_t(i)].push_back({board.cells[size_t(i * board.rows + y)], {uint8_t(i), uint8_t(y)}});
  }

  int colour(int i, int y) const {
    if (i < 0 || y < 0 || i >= int(columns.size()) || y >= int(columns[size_t(i)].size())) return 0;
    return columns[size_t(i)][size_t(y)].colour;
  }
  int paired(int but) const {
    int count = 0;
    for (int i = 0; i < int(columns.size()); ++i)
      for (int y = 0; y < int(columns[size_t(i)].size()); ++y) {
        const int c = colour(i, y);
        count += c != but &&
                 (colour(i - 1, y) == c || colour(i + 1, y) == c || colour(i, y - 1) == c || colour(i, y + 1) == c);
      }
    return count;
  }
  // The size of the block of that square, which is removed if it has at least two squares.
  int play(blockfall::HopelessMove name) {
    for (int i = 0; i < int(columns.size()); ++i)
      for (int y = 0; y < int(columns[size_t(i)].size()); ++y)
        if (columns[size_t(i)][size_t(y)].name == name) {
          const int c = colour(i, y);
          auto before = columns;
          const int size = take(i, y, c);
          if (size < 2) columns = before;
          for (auto& column : columns) std::erase_if(column, [](const Square& s) { return s.colour < 0; });
          std::erase_if(columns, [](const auto& column) { return column.empty(); });
          return size;
        }
    return 0;
  }
  int take(int i, int y, int c) {
    if (c <= 0 || colour(i, y) != c) return 0;
    columns[size_t(i)][size_t(y)].colour = -1;
    return 1 + take(i - 1, y, c) + take(i + 1, y, c) + take(i, y - 1, c) + take(i, y + 1, c);
  }
};

template <class Board>
void check_squares(const Board& board, const PlainSquares& plain) {
  int left = 0;
  for (int i = 0; i < Board::columns; ++i)
    for (int y = 0; y < Board::rows; ++y) {
      const int colour = plain.colour(i, y);
      CHECK(colour_at(board, i, y) == colour);
      CHECK(row_at_start(board, i, y) == (colour ? plain.columns[size_t(i)][size_t(y)].name.row : 0));
      left += colour > 0;
    }
  CHECK(board.left == left);
  uint32_t standing = 0;
  for (const auto& column : plain.columns) standing |= uint32_t{1} << column[0].name.column;
  CHECK(board.standing == standing);
}

// Boards of vectors and boards of lists play the same games in every instruction set of this machine.
template <class Board>
void test_squares(int columns, int rows, int colours) {
  for (const blockfall::Kernels* kernels : blockfall::supported_kernels()) {
    blockfall::use_kernels(kernels->name);
    const auto& play = squares_kernels<Board>();
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const HopelessBoard given = random_board(columns, rows, colours, seed);
      PlainSquares plain(given);
      const Scoring scoring = hopeless_scoring(columns * rows);
      SquaresStart start{scoring.points.data(), {}};
      for (int i = 0; i < columns * rows; ++i) start.colour[i / rows][i % rows] = given.cells[size_t(i)];
      Board board = squares_at<Board>(start);
      check_squares(board, plain);
      Random random(seed);
      for (int n = 0; n < 600; ++n) {
        const int but = int(random.below(uint32_t(colours + 1)));
        const int count = play.count_paired(board, but);
        CHECK(count == plain.paired(but));
        // Half of the moves name squares that may be gone or alone.
        const blockfall::HopelessMove move = count > 0 && n % 2
                                                 ? play.paired(board, but, int(random.below(uint32_t(count))))
                                                 : blockfall::HopelessMove{uint8_t(random.below(uint32_t(columns))),
                                                                           uint8_t(random.below(uint32_t(rows)))};
        const int size = plain.play(move);
        Board after = board;
        CHECK(play.play(start, board, move, after) == (size >= 2));
        if (size < 2) continue;
        CHECK(after.earned == board.earned + scoring.points[size_t(size)]);
        board = after;
        check_squares(board, plain);
      }
    }
  }
}

// Waiting moves in a sequence are not part of the solution: playing the solution gives its points.
void test_waiting_moves() {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const HopelessBoard board = random_board(6, 6, 3, seed);
    Settings settings;
    settings.limits.nodes = 20'000;
    settings.seed = seed;
    settings.sequences = 2, settings.hot = 2, settings.cold = 0.1, settings.waiting = 0.98;
    const auto found = solve_hopeless(board, hopeless_scoring(36), {}, "annealing", settings, {});
    Hopeless<uint16_t, 16, 5> game(board, hopeless_scoring(36), {});
    auto state = game.start();
    double points = 0;
    for (const auto& action : found.path) {
      const auto step = game.result(state, action);
      CHECK(step.reward > 0);
      points += step.reward;
      state = step.state;
    }
    CHECK(found.found && points == found.points && game.is_goal(state));
  }
}

// Every word width and every algorithm, within limits.
void test_sizes_and_limits() {
  for (const auto& [columns, rows, colours] :
       {std::array{15, 15, 5}, {20, 10, 4}, {32, 32, 9}, {1, 32, 2}, {32, 1, 2}}) {
    const HopelessBoard board = random_board(columns, rows, colours, 7);
    for (const auto& algorithm : algorithms<IstTetris>) {
      if (algorithm.facts.undoes) continue;
      Settings settings;
      settings.limits.nodes = 500;
      settings.limits.memory_bytes = 32 << 20;
      settings.width = 8;
      settings.trace = true;
      const auto found =
          solve_hopeless(board, hopeless_scoring(columns * rows), {}, algorithm.facts.name, settings, {});
      CHECK(found.found && found.expanded <= 500 && found.peak_bytes <= 32 << 20);
    }
  }
}

void test_threads() {
  Settings settings;
  settings.limits.time_s = 0.5;
  settings.threads = 4;
  const auto found = solve_hopeless(random_board(12, 12, 5, 3), hopeless_scoring(144), {}, "best", settings, {});
  CHECK(found.found && found.stopped_by == StoppedBy::time);
}

void test_interrupt() {
  Settings settings;
  settings.level = 6;
  int polls = 0;
  const auto found = solve_hopeless(random_board(12, 12, 5, 3), hopeless_scoring(144), {}, "nrpa", settings,
                                    [&] { return ++polls < 3; });
  CHECK(found.found && found.stopped_by == StoppedBy::interrupt);
}

void test_ist_tetris() {
  const auto rules = blockfall::compile(blockfall::ist_rules());
  IstTetris problem(rules->rules, {}, "ojl", IstTetris::Cost::opportunity, {});
  const auto found = solve_ist_tetris(problem, "a-star", {}, {});
  CHECK(found.expanded == 316 && found.generated == 10719 && found.optimal);
}

}  // namespace

int main() {
  test_a_drawn_board();
  test_squares<SmallSquares>(15, 15, 5);
  test_squares<SmallSquares>(16, 16, 7);
  test_squares<SmallSquares>(1, 16, 2);
  test_squares<LargeSquares>(32, 32, 9);
  test_squares<LargeSquares>(20, 10, 4);
  test_waiting_moves();
  test_sizes_and_limits();
  test_threads();
  test_interrupt();
  test_ist_tetris();
}
