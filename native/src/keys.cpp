#include "blockfall/keys.hpp"

#include <algorithm>
#include <stdexcept>

namespace blockfall {

using namespace scalar;

KeySearch::KeySearch(const Rules& rules, const Board& board, const Piece& piece, int64_t lines)
    : rules_(rules), board_(spread(board)), piece_(piece), limit_(limits_keys(rules) ? key_limit(rules, lines) : 0) {
  find_free(rules, board_, piece, free_);
  if (!room_to_spawn(rules, board_, piece)) return;
  const size_t uses = size_t(limit_) + 1;
  std::vector<PoseSet> layer(uses), seen(uses);
  const size_t used_at_spawn = rules.keys_on_spawn_row ? 0 : size_t(limit_);
  layer[used_at_spawn].at[0][piece.spawn_column] = 1u << piece.spawn_row;
  for (bool grew = true; grew;) {
    if (limit_) add_fallen(layer);
    grew = false;
    for (size_t used = 0; used < uses; ++used) grew |= keep_new(layer[used], seen[used], piece.states);
    if (!grew) break;
    layers_.push_back(layer);
    std::vector<PoseSet> next(uses);
    if (limit_) {
      for (size_t used = 0; used + 1 < uses; ++used) press(rules, board_, piece, free_, layer[used], next[used + 1]);
    } else {
      press(rules, board_, piece, free_, layer[0], next[0]);
      if (rules.keys & KEY_DOWN)
        for (int s = 0; s < piece.states; ++s)
          for (int x = 0; x < poses_across(rules, piece, s); ++x)
            next[0].at[s][x] |= (layer[0].at[s][x] >> 1) & free_.at[s][x];
    }
    layer = next;
  }
}

void KeySearch::add_fallen(std::vector<PoseSet>& layer) const {
  PoseSet fallen{};
  for (int s = 0; s < piece_.states; ++s)
    for (int x = 0; x < poses_across(rules_, piece_, s); ++x) {
      for (const PoseSet& from : layer) fallen.at[s][x] |= fall((from.at[s][x] >> 1) & free_.at[s][x], free_.at[s][x]);
      layer[0].at[s][x] |= fallen.at[s][x];
    }
}

bool KeySearch::reached(const Place& p) const {
  return p.x >= 0 && p.x < poses_across(rules_, piece_, p.state) && p.y >= 0 && p.y < rules_.rows &&
         ((layers_[size_t(p.layer)][size_t(p.used)].at[p.state][p.x] >> p.y) & 1);
}

bool KeySearch::is_spawn(const Place& p) const {
  return p.layer == 0 && p.state == 0 && p.x == piece_.spawn_column && p.y == piece_.spawn_row;
}

Key KeySearch::step_back(Place& p) const {
  if (limit_ && (p.used == 0 || p.layer == 0)) {  // the piece fell into this row
    Place above = p;
    ++above.y;
    for (above.used = 0; above.used <= limit_; ++above.used)
      if (reached(above)) return p = above, KEY_DOWN;
  }
  Place from{p.layer - 1, limit_ ? p.used - 1 : 0, p.state, p.x, p.y};
  const auto shifted = [&](Key key, int columns, int rows) {
    Place shift = from;
    shift.x += columns, shift.y += rows;
    if (!(rules_.keys & key) || !reached(shift)) return false;
    from = shift;
    return true;
  };
  if (!limit_ && shifted(KEY_DOWN, 0, 1)) return p = from, KEY_DOWN;
  if (shifted(KEY_LEFT, 1, 0)) return p = from, KEY_LEFT;
  if (shifted(KEY_RIGHT, -1, 0)) return p = from, KEY_RIGHT;
  for (const Key key : {KEY_CLOCKWISE, KEY_COUNTER_CLOCKWISE}) {
    if (!(rules_.keys & key)) continue;
    for (int s = 0; s < piece_.states; ++s) {
      const Turn& t = key == KEY_CLOCKWISE ? piece_.state[s].clockwise : piece_.state[s].counter_clockwise;
      for (int k = 0; k < t.tests && t.state == p.state; ++k) {
        Place turned{from.layer, from.used, s, p.x - t.columns[k], p.y - t.rows[k]};
        if (!reached(turned)) continue;
        PoseSet landed{};
        turn(rules_, board_, piece_, free_, t, turned.x, 1u << turned.y, landed);
        if ((landed.at[p.state][p.x] >> p.y) & 1) return p = turned, key;
      }
    }
  }
  throw std::logic_error("a reached pose has a predecessor");
}

std::vector<Key> KeySearch::to(int shape, int x, int y) const {
  const bool drops = !limit_ && (rules_.keys & KEY_DROP);
  for (int layer = 0; layer < int(layers_.size()); ++layer)
    for (int used = 0; used <= limit_; ++used)
      for (int s = 0; s < piece_.states; ++s) {
        if (piece_.state[s].shape != shape || x >= poses_across(rules_, piece_, s)) continue;
        // The highest row from which the piece drops to y; without the drop key, y itself.
        for (int row = y; row < rules_.rows && ((free_.at[s][x] >> row) & 1); ++row) {
          Place place{layer, used, s, x, row};
          if (!drops && row > y) break;
          if (!reached(place)) continue;
          std::vector<Key> keys{drops ? KEY_DROP : KEY_DOWN};
          while (!is_spawn(place)) keys.push_back(step_back(place));
          std::reverse(keys.begin(), keys.end());
          return keys;
        }
      }
  return {};
}

}  // namespace blockfall
