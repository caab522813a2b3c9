#include "blockfall/keys.hpp"

#include <algorithm>
#include <stdexcept>

namespace blockfall {

using namespace scalar;

namespace {

// Takes what was seen before out of `found`, and adds the rest to `seen`. False when nothing is new.
bool keep_new(PositionSet& found, PositionSet& seen) {
  bool any = false;
  for (int s = 0; s < max_states; ++s)
    for (int x = 0; x < max_columns; ++x) {
      found.at[s][x] &= ~seen.at[s][x];
      seen.at[s][x] |= found.at[s][x];
      any |= found.at[s][x] != 0;
    }
  return any;
}

}  // namespace

KeySearch::KeySearch(const Rules& rules, const Board& board, const Piece& piece, int level)
    : rules_(rules), board_(board), piece_(piece), limit_(key_limit(rules, level)),
      free_(free_positions(rules, board, piece)) {
  if (!has_room_to_spawn(rules, board, piece)) return;
  const size_t uses = size_t(limit_) + 1;
  std::vector<PositionSet> layer(uses), seen(uses);
  const size_t used_at_spawn = rules.keys_on_spawn_row ? 0 : size_t(limit_);
  layer[used_at_spawn].at[0][piece.spawn_column] = 1u << piece.spawn_row;
  for (bool grew = true; grew;) {
    if (limit_) {
      PositionSet fallen{};
      for (const PositionSet& from : layer)
        for (int s = 0; s < piece.states; ++s)
          for (int x = 0; x < positions_across(rules, piece, s); ++x)
            fallen.at[s][x] |= fall((from.at[s][x] >> 1) & free_.at[s][x], free_.at[s][x]);
      for (int s = 0; s < max_states; ++s)
        for (int x = 0; x < max_columns; ++x) layer[0].at[s][x] |= fallen.at[s][x];
    }
    for (size_t used = 0; used < uses; ++used) keep_new(layer[used], seen[used]);
    layers_.push_back(layer);
    std::vector<PositionSet> next(uses);
    grew = false;
    for (size_t used = 0; used < uses; ++used) {
      if (limit_ && used + 1 == uses) break;
      PositionSet pressed = press(rules, board, piece, free_, layer[used]);
      if (!limit_ && (rules.keys & KEY_DOWN))
        for (int s = 0; s < piece.states; ++s)
          for (int x = 0; x < positions_across(rules, piece, s); ++x)
            pressed.at[s][x] |= (layer[used].at[s][x] >> 1) & free_.at[s][x];
      PositionSet already = seen[limit_ ? used + 1 : 0];
      grew |= keep_new(pressed, already);
      next[limit_ ? used + 1 : 0] = pressed;
    }
    layer = next;
  }
}

bool KeySearch::reached(const Place& p) const {
  return p.x >= 0 && p.x < positions_across(rules_, piece_, p.state) && p.y >= 0 && p.y < rules_.rows &&
         ((layers_[size_t(p.layer)][size_t(p.used)].at[p.state][p.x] >> p.y) & 1);
}

bool KeySearch::is_spawn(const Place& p) const {
  return p.layer == 0 && p.state == 0 && p.x == piece_.spawn_column && p.y == piece_.spawn_row;
}

Key KeySearch::step_back(Place& p) const {
  if (limit_ && (p.used == 0 || p.layer == 0)) {  // fell into this row
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
  if (shifted(KEY_LEFT, 1, 0)) return p = from, KEY_LEFT;
  if (shifted(KEY_RIGHT, -1, 0)) return p = from, KEY_RIGHT;
  if (!limit_ && shifted(KEY_DOWN, 0, 1)) return p = from, KEY_DOWN;
  for (const Key key : {KEY_CLOCKWISE, KEY_COUNTER_CLOCKWISE}) {
    if (!(rules_.keys & key)) continue;
    for (int s = 0; s < piece_.states; ++s) {
      const Turn& t = key == KEY_CLOCKWISE ? piece_.state[s].clockwise : piece_.state[s].counter_clockwise;
      for (int k = 0; k < t.tests && t.state == p.state; ++k) {
        Place turned{from.layer, from.used, s, p.x - t.columns[k], p.y - t.rows[k]};
        if (!reached(turned)) continue;
        PositionSet landed{};
        turn(rules_, board_, piece_, free_, t, turned.x, 1u << turned.y, landed);
        if ((landed.at[p.state][p.x] >> p.y) & 1) return p = turned, key;
      }
    }
  }
  throw std::logic_error("a reached position has a predecessor");
}

std::vector<Key> KeySearch::to(int shape, int x, int y) const {
  const bool drops = !limit_ && (rules_.keys & KEY_DROP);
  for (int layer = 0; layer < int(layers_.size()); ++layer)
    for (int used = 0; used <= limit_; ++used)
      for (int s = 0; s < piece_.states; ++s) {
        if (piece_.state[s].shape != shape || x >= positions_across(rules_, piece_, s)) continue;
        // The highest row that falls to y; without the drop key, y itself.
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
