// A rule set as its file describes it, and its compilation into Rules.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rules.hpp"

namespace blockfall {

struct TurnDescription {
  int state = 0;
  std::vector<std::pair<int, int>> kicks;  // (columns to the right, rows up), tried after the plain rotation
  bool centre_column_rule = false;
};

struct StateDescription {
  std::vector<std::pair<int, int>> cells;  // (column, row) in the box; row 0 is the box's bottom
  TurnDescription clockwise, counter_clockwise;
};

struct PieceDescription {
  int box_columns = 0;
  int spawn_column = 0, spawn_row = 0;  // of the box's lower left corner
  std::vector<StateDescription> states;
};

struct RulesDescription {
  int columns = 10, rows = 20, visible_rows = 20;
  std::vector<PieceDescription> pieces;  // in the order of PieceKind

  PlacementModel model = PlacementModel::drop;
  int keys = 0;
  std::vector<int> keys_per_row;
  bool keys_on_spawn_row = true;

  GeneratorKind generator = GeneratorKind::uniform;
  std::vector<uint8_t> drawn{PIECE_I, PIECE_O, PIECE_T, PIECE_S, PIECE_Z, PIECE_J, PIECE_L};  // by `uniform`
  std::vector<uint8_t> script;
  int frames_per_piece = 0;

  std::vector<int64_t> line_score;
  int64_t piece_score = 0;
  bool score_by_level = false;
  int lines_per_level = 10, start_level = 0;

  std::vector<int> frames_per_row{60'000};  // thousandths of a frame, by level
  int soft_drop_frames_per_row = 2'000;
  int lock_delay = 0, lock_resets = 0;
  bool hold = false;
  int previews = 1;
  int soft_drop_score = 0, hard_drop_score = 0;

  bool overflow_loses = false, block_out_loses = false, lock_out_loses = false;
  int height_limit = 0;
};

// Owns the script that Rules::script points to.
struct CompiledRules {
  Rules rules;
  std::vector<uint8_t> script;
};

// Throws std::invalid_argument if the description breaks a limit of the core.
std::unique_ptr<CompiledRules> compile(const RulesDescription& description);

}  // namespace blockfall
