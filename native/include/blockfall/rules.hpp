// A rule set, compiled from its TOML file into plain data. It holds no functions, and no pointer except the script's,
// so a copy of the struct is a copy of the rules, also on a GPU.
#pragma once

#include "board.hpp"

namespace blockfall {

enum PieceKind : uint8_t { PIECE_I, PIECE_O, PIECE_T, PIECE_S, PIECE_Z, PIECE_J, PIECE_L };

// One distinct set of cells of a piece, in its bounding rectangle.
struct Shape {
  uint8_t piece, number;  // the shape's number among the piece's shapes
  uint8_t width, height;
  uint8_t cell_column[4], cell_row[4];  // in reading order: top row first, left to right
  uint32_t column[4];                   // cells of each column, bit 0 is the bottom row
  int8_t bottom[4];                     // lowest cell of each column
  uint8_t row_cells[4];                 // cells in each row, bottom row first
  uint32_t packed_row_cells;            // the same, four bits each
  int8_t highest_row;                   // of the lowest cell; locking above it loses the game
  uint16_t first_slot;                  // Rules::slot of this shape at column 0
};

// A rotation: the tests in order, each a move of the shape's lower left corner. Test 0 is the plain rotation.
struct Turn {
  uint8_t state;  // the state it leads to
  uint8_t tests;
  int8_t columns[max_tests], rows[max_tests];
  // Arika: no kick if the first blocked cell, in reading order, lies in the box's centre column.
  bool centre_column_rule;
  int8_t centre_column;  // relative to the new shape's left column
};

// A rotation state: a shape, where it lies in the box, and both turns. Several states may share a shape (SRS: the
// S piece has four states and two shapes).
struct State {
  uint8_t shape;
  Turn clockwise, counter_clockwise;
};

// Every shape of a piece at every column, in the order that breaks ties. A word of lanes places the piece at one slot
// per lane.
struct Slots {
  alignas(64) uint32_t column[max_columns][max_slots];    // the cells at the floor
  alignas(64) uint32_t extent[max_slots];                 // rows above the lowest one
  alignas(64) uint32_t row_cells[max_slots];              // as Shape::packed_row_cells
  alignas(64) uint32_t highest_row[max_slots];            // as Shape::highest_row; the least number past the last slot
  alignas(64) uint32_t at_side[max_slots];                // 1 if the shape touches a wall
  alignas(64) int8_t bottom[cells_per_piece][max_slots];  // as Shape::bottom; past the width it is too high to count
  uint8_t shape[max_slots];
  int8_t x[max_slots];
  int32_t count;
};

// Under rules without rotation, a piece has only its first state.
struct Piece {
  uint8_t states, shapes;
  State state[max_states];
  Shape shape[max_states];
  int8_t spawn_column, spawn_row;  // of the lower left corner of state 0's shape
  int8_t state_row[max_states];    // lowest row of each state's shape relative to state 0's, in the same box
  Slots slots;
};

enum class PlacementModel : uint8_t {
  drop,       // any orientation at any column, straight down
  reachable,  // wherever keys take it from the spawn
};

enum Key : uint8_t {
  KEY_LEFT = 1,
  KEY_RIGHT = 2,
  KEY_DOWN = 4,  // one row
  KEY_CLOCKWISE = 8,
  KEY_COUNTER_CLOCKWISE = 16,
  KEY_DROP = 32,  // to the bottom, and locks
};

enum class GeneratorKind : uint8_t { uniform, nes, nes_lfsr, bag7, tgm1, tgm2, tgm3, tgm3_real, script, snake };

struct Rules {
  int32_t columns, rows;  // rows include the hidden ones
  int32_t visible_rows;
  Piece piece[piece_kinds];
  // Every shape at every column, at the floor: placing a piece is one OR of a shifted slot.
  Board slot[piece_kinds * max_slots];

  PlacementModel model;
  uint8_t keys;
  // The most keys in one row before gravity moves the piece down, by level; 0 means that there is no limit.
  int32_t keys_per_row[max_levels];
  bool keys_on_spawn_row;

  GeneratorKind generator;
  uint8_t drawn[piece_kinds];  // uniform: the pieces that are drawn
  int32_t drawn_count;
  const uint8_t* script;
  int64_t script_length;
  int32_t frames_per_piece;  // nes_lfsr: steps of the register between two pieces

  // Entropy by the number of filled cells, in bits. Unused lanes may read one piece further.
  float entropy[max_columns * max_rows + 1 + cells_per_piece];

  int64_t line_score[cells_per_piece];
  int64_t piece_score;
  bool score_by_level;  // lines' points times (level + 1)
  int32_t lines_per_level;
  int32_t start_level;

  // For people: a piece falls one row every frames_per_row (in thousandths of a frame, by level). At rest, it locks
  // after lock_delay frames (0: when it should next fall), and a move restarts this delay at most lock_resets times.
  int32_t frames_per_row[max_levels];
  int32_t soft_drop_frames_per_row;  // thousandths
  int32_t lock_delay, lock_resets;
  bool hold;
  int32_t previews;
  int32_t soft_drop_score, hard_drop_score;  // per row

  bool overflow_loses;  // a cell at or above `height_limit` after a lock
  int32_t height_limit;
  bool block_out_loses;  // the spawn cells are taken
  bool lock_out_loses;   // a piece locks wholly above the visible rows
};

}  // namespace blockfall
