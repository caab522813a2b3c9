#include "blockfall/spins.hpp"

#include <algorithm>

namespace blockfall {

using namespace scalar;

namespace {

constexpr int last_test = 4;  // of SRS; test 0 is the plain turn

// The centre of a T, which is the cell that touches the other three, and the direction of its stem.
struct Centre {
  int x, y, stem_x, stem_y;
};

Centre centre_of(const Shape& shape) {
  for (int i = 0; i < cells_per_piece; ++i) {
    Centre c{shape.cell_column[i], shape.cell_row[i], 0, 0};
    int touching = 0;
    for (int j = 0; j < cells_per_piece; ++j) {
      const int dx = shape.cell_column[j] - c.x, dy = shape.cell_row[j] - c.y;
      if (dx * dx + dy * dy != 1) continue;
      ++touching, c.stem_x += dx, c.stem_y += dy;  // the two cells of the bar cancel out
    }
    if (touching == 3) return c;
  }
  return {-1, 0, 0, 0};  // a custom piece that is not a T
}

bool taken(const Rules& rules, const Board& board, int x, int y) {
  if (x < 0 || x >= rules.columns || y < 0) return true;
  return y < rules.rows && ((board.column[x] >> y) & 1);
}

Spin spin_at(const Rules& rules, const Board& board, const Centre& c, int x, int y, bool last_kick) {
  int corners = 0, front = 0;
  for (int dx : {-1, 1})
    for (int dy : {-1, 1}) {
      if (!taken(rules, board, x + c.x + dx, y + c.y + dy)) continue;
      ++corners;
      front += dx * c.stem_x + dy * c.stem_y > 0;
    }
  if (corners < 3) return Spin::none;
  return front == 2 || last_kick ? Spin::full : Spin::mini;
}

}  // namespace

std::vector<SpinPlacement> find_spins(const Rules& rules, const Board& board) {
  std::vector<SpinPlacement> found;
  const Piece& piece = rules.piece[PIECE_T];
  if (rules.model == PlacementModel::drop || limits_keys(rules) || piece.states < max_states) return found;
  const Boards boards = spread(board);
  if (!room_to_spawn(rules, boards, piece)) return found;
  PoseSet free, reach;
  find_free(rules, boards, piece, free);
  clear(reach, piece.states);
  Word& spawn = reach.at[0][piece.spawn_column];
  spawn = 1u << piece.spawn_row;
  if (rules.keys & KEY_DOWN) spawn = fall(spawn, free.at[0][piece.spawn_column]);
  flood(rules, boards, piece, free, reach);

  const auto add = [&](int state, int x, int y, bool last_kick) {
    const uint8_t number = piece.state[state].shape;
    const Centre centre = centre_of(piece.shape[number]);
    if (centre.x < 0 || (y > 0 && ((free.at[state][x] >> (y - 1)) & 1)))
      return;  // the piece does not come to rest there
    const Spin spin = spin_at(rules, board, centre, x, y, last_kick);
    const SpinPlacement one{number, uint8_t(x), uint8_t(y), spin};
    const auto same = [&](const SpinPlacement& other) {
      return other.shape == one.shape && other.x == one.x && other.y == one.y && other.spin == one.spin;
    };
    if (spin != Spin::none && std::none_of(found.begin(), found.end(), same)) found.push_back(one);
  };
  const auto turn_from = [&](const Turn& t, int x, int y) {
    const int width = piece.shape[piece.state[t.state].shape].width;
    for (int k = 0; k < t.tests; ++k) {
      const int to_x = x + t.columns[k], to_y = y + t.rows[k];
      if (to_x < 0 || to_x + width > rules.columns || to_y < 0 || to_y >= rules.rows) continue;
      if (!((free.at[t.state][to_x] >> to_y) & 1)) continue;
      add(t.state, to_x, to_y, k == last_test);
      return;
    }
  };
  for (int s = 0; s < piece.states; ++s)
    for (int x = 0; x < poses_across(rules, piece, s); ++x)
      for (uint32_t rows = reach.at[s][x]; rows; rows &= rows - 1) {
        const int y = bit_count((rows & -rows) - 1);
        if (rules.keys & KEY_CLOCKWISE) turn_from(piece.state[s].clockwise, x, y);
        if (rules.keys & KEY_COUNTER_CLOCKWISE) turn_from(piece.state[s].counter_clockwise, x, y);
      }
  return found;
}

}  // namespace blockfall
