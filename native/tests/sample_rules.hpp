// Rule sets for the C++ tests, drawn here so that they need no file.
#pragma once

#include <string>
#include <vector>

#include "blockfall/description.hpp"

namespace blockfall {

// States side by side, rows top first, as in the rule sets' files.
inline PieceDescription draw_piece(const std::vector<std::vector<std::string>>& states, int columns, int rows,
                                   bool kicks) {
  PieceDescription piece;
  piece.box_columns = int(states[0][0].size());
  piece.spawn_column = (columns - 4) / 2;
  piece.spawn_row = rows - int(states[0].size());
  const int count = int(states.size());
  for (int s = 0; s < count; ++s) {
    StateDescription state;
    const int height = int(states[size_t(s)].size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < piece.box_columns; ++x)
        if (states[size_t(s)][size_t(y)][size_t(x)] == '#') state.cells.emplace_back(x, height - 1 - y);
    state.clockwise.state = (s + 1) % count;
    state.counter_clockwise.state = (s + count - 1) % count;
    if (kicks) {
      state.clockwise.kicks = {{-1, 0}, {-1, 1}, {0, -2}, {-1, -2}};
      state.counter_clockwise.kicks = {{1, 0}, {1, 1}, {0, -2}, {1, 2}};
      state.clockwise.centre_column_rule = s % 2 == 0;
    }
    piece.states.push_back(state);
  }
  return piece;
}

inline RulesDescription sample_rules(PlacementModel model, int columns, int rows, int keys, bool kicks = false) {
  RulesDescription d;
  d.columns = columns, d.rows = d.visible_rows = rows;
  d.model = model, d.keys = keys;
  d.line_score = {40, 100, 300, 1200};
  d.height_limit = rows;
  d.overflow_loses = model == PlacementModel::drop;
  d.block_out_loses = !d.overflow_loses;
  const auto add = [&](std::vector<std::vector<std::string>> states) {
    d.pieces.push_back(draw_piece(states, columns, rows, kicks));
  };
  add({{"....", "####", "....", "...."}, {"..#.", "..#.", "..#.", "..#."}});
  add({{".##.", ".##."}});
  add({{".#.", "###", "..."}, {".#.", ".##", ".#."}, {"...", "###", ".#."}, {".#.", "##.", ".#."}});
  add({{".##", "##.", "..."}, {".#.", ".##", "..#"}});
  add({{"##.", ".##", "..."}, {"..#", ".##", ".#."}});
  add({{"#..", "###", "..."}, {".##", ".#.", ".#."}, {"...", "###", "..#"}, {".#.", ".#.", "##."}});
  add({{"..#", "###", "..."}, {".#.", ".#.", ".##"}, {"...", "###", "#.."}, {"##.", ".#.", ".#."}});
  return d;
}

// The rule set `ist`, whose pieces lie in the lower left corners of their boxes.
inline RulesDescription ist_rules() {
  RulesDescription d = sample_rules(PlacementModel::drop, 10, 18, KEY_LEFT | KEY_RIGHT | KEY_DROP);
  d.height_limit = 17;
  d.line_score = {100, 300, 500, 800};
  d.pieces.clear();
  const auto add = [&](std::vector<std::vector<std::string>> states) {
    d.pieces.push_back(draw_piece(states, 10, 18, false));
  };
  add({{"#...", "#...", "#...", "#..."}, {"....", "....", "....", "####"}});
  add({{"##", "##"}});
  add({{"...", ".#.", "###"}, {"#..", "##.", "#.."}, {"...", "###", ".#."}, {".#.", "##.", ".#."}});
  add({{"...", ".##", "##."}, {"#..", "##.", ".#."}});
  add({{"...", "##.", ".##"}, {".#.", "##.", "#.."}});
  add({{".#.", ".#.", "##."}, {"...", "#..", "###"}, {"##.", "#..", "#.."}, {"...", "###", "..#"}});
  add({{"#..", "#..", "##."}, {"...", "###", "#.."}, {"##.", ".#.", ".#."}, {"...", "..#", "###"}});
  return d;
}

}  // namespace blockfall
