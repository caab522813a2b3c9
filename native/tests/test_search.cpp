// The searches on small problems: known answers, limits, and threads, for the sanitizers to watch.
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

// Every width of word, every algorithm, within limits.
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
  test_sizes_and_limits();
  test_threads();
  test_interrupt();
  test_ist_tetris();
}
