// Every placement that the flood finds has a key sequence, and no other placement has one.
#include <random>
#include <set>

#include "blockfall/keys.hpp"
#include "check.hpp"
#include "sample_rules.hpp"

using namespace blockfall;
using namespace blockfall::scalar;

int main() {
  std::mt19937 random_bits(11);
  const int keys = KEY_LEFT | KEY_RIGHT | KEY_DOWN | KEY_CLOCKWISE | KEY_COUNTER_CLOCKWISE;
  for (int round = 0; round < 60; ++round) {
    RulesDescription description = sample_rules(PlacementModel::reachable, 8, 14, keys, round % 2 == 0);
    if (round % 3 == 0) description.keys_per_row = {1 + round % 2};
    const auto compiled = compile(description);
    const Rules& rules = compiled->rules;
    Board board{};
    for (int i = 0; i < rules.columns; ++i) board.column[i] = random_bits() & random_bits() & rows_mask(9);
    for (const Piece& piece : rules.piece) {
      const KeySearch search(rules, board, piece, 0);
      std::set<std::tuple<int, int, int>> found;
      for_each_placement(rules, board, piece, 0, [&](const Shape& shape, int x, int y) {
        found.insert({shape.number, x, y});
        CHECK(!search.to(shape.number, x, y).empty());
      });
      for (int s = 0; s < piece.shapes; ++s)
        for (int x = 0; x + piece.shape[s].width <= rules.columns; ++x)
          for (int y = 0; y < rules.rows; ++y) {
            const bool rests = (free_rows(rules, spread(board), piece.shape[s], x) >> y & 1) &&
                               (y == 0 || !(free_rows(rules, spread(board), piece.shape[s], x) >> (y - 1) & 1));
            if (rests && !found.contains({s, x, y})) CHECK(search.to(s, x, y).empty());
          }
    }
  }
}
