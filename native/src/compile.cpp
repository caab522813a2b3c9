#include <algorithm>
#include <cmath>

#include "blockfall/description.hpp"

namespace blockfall {
namespace {

using Cells = std::vector<std::pair<int, int>>;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

// Whether sums and differences of such numbers fit into every type that holds them.
bool is_near(int cells) { return cells >= -64 && cells <= 64; }

struct Corner {
  int column, row;
};

Corner lower_left(const Cells& cells) {
  Corner corner{99, 99};
  for (auto [column, row] : cells) corner = {std::min(corner.column, column), std::min(corner.row, row)};
  return corner;
}

Shape shape_of(const Cells& cells) {
  const Corner corner = lower_left(cells);
  Cells reading_order = cells;
  std::sort(reading_order.begin(), reading_order.end(),
            [](auto a, auto b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  Shape shape{};
  std::fill(std::begin(shape.bottom), std::end(shape.bottom), int8_t{127});
  for (int i = 0; i < cells_per_piece; ++i) {
    const int column = reading_order[i].first - corner.column, row = reading_order[i].second - corner.row;
    require(column < 4 && row < 4, "a piece fits in 4 x 4 cells");
    shape.cell_column[i] = uint8_t(column), shape.cell_row[i] = uint8_t(row);
    shape.width = std::max<uint8_t>(shape.width, uint8_t(column + 1));
    shape.height = std::max<uint8_t>(shape.height, uint8_t(row + 1));
    shape.bottom[column] = std::min(shape.bottom[column], int8_t(row));
    shape.column[column] |= 1u << row;
    ++shape.row_cells[row];
  }
  for (int i = 0; i < shape.width; ++i)
    require(shape.bottom[i] != 127, "a piece has no empty column between its cells");
  for (int row = 0; row < 4; ++row) shape.packed_row_cells |= uint32_t(shape.row_cells[row]) << (4 * row);
  return shape;
}

bool same_cells(const Shape& a, const Shape& b) {
  return std::equal(std::begin(a.cell_column), std::end(a.cell_column), b.cell_column) &&
         std::equal(std::begin(a.cell_row), std::end(a.cell_row), b.cell_row);
}

Turn turn_of(const PieceDescription& piece, const StateDescription& from, const TurnDescription& turn) {
  require(turn.state >= 0 && turn.state < int(piece.states.size()), "a turn leads to a state of the piece");
  require(turn.kicks.size() < max_tests, "at most five kicks");
  const Corner a = lower_left(from.cells), b = lower_left(piece.states[size_t(turn.state)].cells);
  Turn result{};
  result.state = uint8_t(turn.state);
  result.tests = uint8_t(1 + turn.kicks.size());
  for (size_t k = 0; k < result.tests; ++k) {
    const auto [columns, rows] = k == 0 ? std::pair{0, 0} : turn.kicks[k - 1];
    require(columns >= -8 && columns <= 8 && rows >= -8 && rows <= 8, "a kick moves at most eight cells");
    result.columns[k] = int8_t(b.column - a.column + columns);
    result.rows[k] = int8_t(b.row - a.row + rows);
  }
  result.centre_column_rule = turn.centre_column_rule;
  result.centre_column = int8_t(piece.box_columns / 2 - b.column);
  return result;
}

void compile_piece(const PieceDescription& description, int kind, Rules& rules) {
  require(!description.states.empty() && description.states.size() <= max_states, "a piece has one to four states");
  for (const StateDescription& state : description.states)
    for (auto [column, row] : state.cells)
      require(is_near(column) && is_near(row), "a piece's cells are at most 64 from its corner");
  require(is_near(description.box_columns) && is_near(description.spawn_column) && is_near(description.spawn_row),
          "a piece's box and the place where it appears are at most 64 cells from the corner");
  Piece& piece = rules.piece[kind];
  const bool turns = rules.model == PlacementModel::drop || (rules.keys & (KEY_CLOCKWISE | KEY_COUNTER_CLOCKWISE));
  piece.states = turns ? uint8_t(description.states.size()) : 1;
  const Corner spawn = lower_left(description.states[0].cells);
  for (int s = 0; s < piece.states; ++s) {
    const StateDescription& state = description.states[size_t(s)];
    require(state.cells.size() == cells_per_piece, "a piece has four cells");
    const Shape shape = shape_of(state.cells);
    require(shape.width <= rules.columns, "a piece is at most as wide as the board");
    int known = 0;
    while (known < piece.shapes && !same_cells(piece.shape[known], shape)) ++known;
    if (known == piece.shapes) piece.shape[piece.shapes++] = shape;
    piece.state[s].shape = uint8_t(known);
    piece.state[s].clockwise = turn_of(description, state, state.clockwise);
    piece.state[s].counter_clockwise = turn_of(description, state, state.counter_clockwise);
    piece.state_row[s] = int8_t(lower_left(state.cells).row - spawn.row);
  }
  const int column = description.spawn_column + spawn.column, row = description.spawn_row + spawn.row;
  require(column >= 0 && column + piece.shape[0].width <= rules.columns, "a piece spawns between the walls");
  require(row >= 0 && row < rules.rows, "a piece spawns with its lowest cell on the board");
  piece.spawn_column = int8_t(column), piece.spawn_row = int8_t(row);
}

// The highest row at which a shape may lock.
int highest_row(const Rules& rules, const Shape& shape) {
  int highest = max_rows;
  if (rules.overflow_loses) highest = std::min(highest, rules.height_limit - shape.height);
  if (rules.lock_out_loses) highest = std::min(highest, rules.visible_rows - 1);
  return highest;
}

void number_shapes(Rules& rules) {
  uint16_t next = 0;
  for (int kind = 0; kind < piece_kinds; ++kind) {
    Slots& slots = rules.piece[kind].slots;
    std::fill(std::begin(slots.highest_row), std::end(slots.highest_row), 0x80000000u);
    for (int s = 0; s < rules.piece[kind].shapes; ++s) {
      Shape& shape = rules.piece[kind].shape[s];
      shape.piece = uint8_t(kind), shape.number = uint8_t(s);
      shape.first_slot = next;
      shape.highest_row = int8_t(highest_row(rules, shape));
      for (int x = 0; x + shape.width <= rules.columns; ++x, ++next) {
        const int n = slots.count++;
        for (int i = 0; i < cells_per_piece; ++i) {
          rules.slot[next].column[x + shape.cell_column[i]] |= 1u << shape.cell_row[i];
          slots.column[x + shape.cell_column[i]][n] |= 1u << shape.cell_row[i];
        }
        slots.extent[n] = shape.height - 1u;
        slots.row_cells[n] = shape.packed_row_cells;
        slots.highest_row[n] = uint32_t(int32_t(shape.highest_row));
        slots.at_side[n] = x == 0 || x + shape.width == rules.columns;
        for (int i = 0; i < cells_per_piece; ++i) slots.bottom[i][n] = i < shape.width ? shape.bottom[i] : int8_t(127);
        slots.shape[n] = uint8_t(s), slots.x[n] = int8_t(x);
      }
    }
  }
}

// The last entry holds for all later levels.
void spread_over_levels(const std::vector<int>& table, int32_t (&levels)[max_levels]) {
  for (size_t level = 0; level < max_levels && !table.empty(); ++level)
    levels[level] = table[std::min(level, table.size() - 1)];
}

}  // namespace

std::unique_ptr<CompiledRules> compile(const RulesDescription& d) {
  require(d.columns >= min_columns && d.columns <= max_columns, "a board has 4 to 16 columns");
  require(d.rows >= min_rows && d.rows <= max_rows, "a board has 6 to 32 rows");
  require(d.visible_rows >= 1 && d.visible_rows <= d.rows, "visible rows are rows of the board");
  require(d.pieces.size() == piece_kinds, "there are seven pieces");
  require(d.keys_per_row.size() <= max_levels && d.frames_per_row.size() <= max_levels, "at most 32 levels");
  for (int frames : d.frames_per_row) require(frames > 0, "a row takes some time");
  require(!d.frames_per_row.empty() && d.soft_drop_frames_per_row > 0, "a row takes some time");
  require(d.previews >= 0 && d.previews < max_known, "at most seven previews");
  require(d.line_score.size() == cells_per_piece, "points for one to four lines");
  require(d.height_limit >= 1 && d.height_limit <= d.rows, "the height limit is a row of the board");
  require(d.model != PlacementModel::drop || d.overflow_loses, "a straight drop needs the overflow rule");
  require(d.lines_per_level >= 1, "a level has lines");
  require(d.start_level >= 0 && d.frames_per_piece >= 0, "counts are not negative");

  auto compiled = std::make_unique<CompiledRules>();
  Rules& rules = compiled->rules;
  rules = Rules{};
  rules.columns = d.columns, rules.rows = d.rows, rules.visible_rows = d.visible_rows;
  rules.model = d.model;
  rules.keys = uint8_t(d.keys);
  for (int kind = 0; kind < piece_kinds; ++kind) compile_piece(d.pieces[size_t(kind)], kind, rules);
  spread_over_levels(d.keys_per_row, rules.keys_per_row);
  rules.keys_on_spawn_row = d.keys_on_spawn_row;

  const double cells = d.columns * d.rows;
  for (int filled = 1; filled < d.columns * d.rows; ++filled) {  // 0 if all cells are alike
    const double p = filled / cells, q = 1 - p;
    rules.entropy[filled] = float(-(p * std::log2(p) + q * std::log2(q)));
  }

  rules.generator = d.generator;
  for (uint8_t piece : d.script) require(piece < piece_kinds, "a script holds pieces");
  compiled->script = d.script;
  require(!d.drawn.empty() && d.drawn.size() <= piece_kinds, "1 to 7 pieces are drawn");
  for (uint8_t piece : d.drawn) {
    require(piece < piece_kinds, "what is drawn are pieces");
    rules.drawn[rules.drawn_count++] = piece;
  }
  rules.script = compiled->script.data();
  rules.script_length = int64_t(d.script.size());
  rules.frames_per_piece = d.frames_per_piece;

  std::copy(d.line_score.begin(), d.line_score.end(), rules.line_score);
  rules.piece_score = d.piece_score;
  rules.score_by_level = d.score_by_level;
  rules.lines_per_level = d.lines_per_level, rules.start_level = d.start_level;

  spread_over_levels(d.frames_per_row, rules.frames_per_row);
  rules.soft_drop_frames_per_row = d.soft_drop_frames_per_row;
  rules.lock_delay = d.lock_delay, rules.lock_resets = d.lock_resets;
  rules.hold = d.hold, rules.previews = d.previews;
  rules.soft_drop_score = d.soft_drop_score, rules.hard_drop_score = d.hard_drop_score;

  rules.overflow_loses = d.overflow_loses, rules.height_limit = d.height_limit;
  rules.block_out_loses = d.block_out_loses, rules.lock_out_loses = d.lock_out_loses;
  number_shapes(rules);
  return compiled;
}

}  // namespace blockfall
