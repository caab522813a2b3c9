#include <algorithm>

#include "bindings.hpp"
#include "blockfall/estimate.hpp"

namespace blockfall::bindings {

void bind_rules(nb::module_& m) {
  nb::enum_<PlacementModel>(m, "PlacementModel")
      .value("DROP", PlacementModel::drop)
      .value("REACHABLE", PlacementModel::reachable);

  nb::enum_<Key>(m, "Key", nb::is_arithmetic())
      .value("LEFT", KEY_LEFT)
      .value("RIGHT", KEY_RIGHT)
      .value("DOWN", KEY_DOWN)
      .value("CLOCKWISE", KEY_CLOCKWISE)
      .value("COUNTER_CLOCKWISE", KEY_COUNTER_CLOCKWISE)
      .value("DROP", KEY_DROP);

  nb::enum_<GeneratorKind>(m, "GeneratorKind")
      .value("UNIFORM", GeneratorKind::uniform)
      .value("NES", GeneratorKind::nes)
      .value("NES_LFSR", GeneratorKind::nes_lfsr)
      .value("BAG7", GeneratorKind::bag7)
      .value("TGM1", GeneratorKind::tgm1)
      .value("TGM2", GeneratorKind::tgm2)
      .value("TGM3", GeneratorKind::tgm3)
      .value("TGM3_REAL", GeneratorKind::tgm3_real)
      .value("SCRIPT", GeneratorKind::script)
      .value("SNAKE", GeneratorKind::snake);

  nb::class_<TurnDescription>(m, "TurnDescription")
      .def(nb::init<>())
      .def_rw("state", &TurnDescription::state)
      .def_rw("kicks", &TurnDescription::kicks)
      .def_rw("centre_column_rule", &TurnDescription::centre_column_rule);

  nb::class_<StateDescription>(m, "StateDescription")
      .def(nb::init<>())
      .def_rw("cells", &StateDescription::cells)
      .def_rw("clockwise", &StateDescription::clockwise)
      .def_rw("counter_clockwise", &StateDescription::counter_clockwise);

  nb::class_<PieceDescription>(m, "PieceDescription")
      .def(nb::init<>())
      .def_rw("box_columns", &PieceDescription::box_columns)
      .def_rw("spawn_column", &PieceDescription::spawn_column)
      .def_rw("spawn_row", &PieceDescription::spawn_row)
      .def_rw("states", &PieceDescription::states);

  using D = RulesDescription;
  nb::class_<D>(m, "RulesDescription")
      .def(nb::init<>())
      .def_rw("columns", &D::columns)
      .def_rw("rows", &D::rows)
      .def_rw("visible_rows", &D::visible_rows)
      .def_rw("pieces", &D::pieces)
      .def_rw("model", &D::model)
      .def_rw("keys", &D::keys)
      .def_rw("keys_per_row", &D::keys_per_row)
      .def_rw("keys_on_spawn_row", &D::keys_on_spawn_row)
      .def_rw("generator", &D::generator)
      .def_rw("drawn", &D::drawn)
      .def_rw("script", &D::script)
      .def_rw("frames_per_piece", &D::frames_per_piece)
      .def_rw("line_score", &D::line_score)
      .def_rw("piece_score", &D::piece_score)
      .def_rw("score_by_level", &D::score_by_level)
      .def_rw("lines_per_level", &D::lines_per_level)
      .def_rw("start_level", &D::start_level)
      .def_rw("frames_per_row", &D::frames_per_row)
      .def_rw("soft_drop_frames_per_row", &D::soft_drop_frames_per_row)
      .def_rw("lock_delay", &D::lock_delay)
      .def_rw("lock_resets", &D::lock_resets)
      .def_rw("hold", &D::hold)
      .def_rw("previews", &D::previews)
      .def_rw("soft_drop_score", &D::soft_drop_score)
      .def_rw("hard_drop_score", &D::hard_drop_score)
      .def_rw("overflow_loses", &D::overflow_loses)
      .def_rw("block_out_loses", &D::block_out_loses)
      .def_rw("lock_out_loses", &D::lock_out_loses)
      .def_rw("height_limit", &D::height_limit);

  nb::class_<CompiledRules>(m, "Rules", "A rule set as the core plays it.")
      .def(nb::new_([](const RulesDescription& description) { return compile(description); }), nb::arg("description"))
      .def_prop_ro("columns", [](const CompiledRules& r) { return r.rules.columns; })
      .def_prop_ro("rows", [](const CompiledRules& r) { return r.rules.rows; })
      .def_prop_ro(
          "drops", [](const CompiledRules& r) { return scalar::drops(r.rules); }, "True if pieces drop straight down.")
      .def_prop_ro(
          "states",
          [](const CompiledRules& r) {
            const auto fewer = [](const Piece& a, const Piece& b) { return a.states < b.states; };
            return int(std::ranges::max_element(r.rules.piece, fewer)->states);
          },
          "The most rotation states of a piece.")
      .def_prop_ro(
          "can_be_estimated", [](const CompiledRules& r) { return can_be_estimated(r.rules); },
          "True if games can be estimated: they can continue from one position with other pieces.")
      .def_prop_ro(
          "slots",
          [](const CompiledRules& r) {
            std::vector<int> slots;
            for (const Piece& piece : r.rules.piece) slots.push_back(piece.slots.count);
            return slots;
          },
          "The number of (shape, column) pairs where each piece fits.")
      .def(
          "image",
          [](const CompiledRules& r) {
            Rules image = r.rules;
            image.script = nullptr;
            return nb::bytes(reinterpret_cast<const char*>(&image), sizeof image);
          },
          "The core's struct, for a device that runs the same code, without the script.")
      .def_prop_ro(
          "script",
          [](const CompiledRules& r) {
            return nb::bytes(reinterpret_cast<const char*>(r.script.data()), r.script.size());
          },
          "The pieces of a script generator, a byte each.")
      .def(
          "cells",
          [](const CompiledRules& r, int piece, int shape, int x, int y) {
            const Placement p = to_placement(r.rules, piece, shape, x, y);
            const Shape& s = r.rules.piece[p.piece].shape[p.shape];
            std::vector<std::pair<int, int>> cells;
            for (int i = 0; i < cells_per_piece; ++i) cells.emplace_back(x + s.cell_column[i], y + s.cell_row[i]);
            return cells;
          },
          nb::arg("piece"), nb::arg("shape"), nb::arg("x"), nb::arg("y"),
          "Return the (column, row) cells of a placement.");
}

}  // namespace blockfall::bindings
