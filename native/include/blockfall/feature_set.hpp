// The values of a set of features, from the catalogue and users' own, on afterstates.
#pragma once

#include "atomics.hpp"
#include "features.hpp"
#include "value/data.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// A user's feature for the lanes in use; the other lanes get 0.
template <int Columns>
inline Real custom_value(const Afterstates<Columns>& p, const FeatureSet& features, int custom, Word landing_row,
                         uint32_t in_use) {
  alignas(64) uint32_t column[max_columns][lanes], lines[lanes], row[lanes];
  alignas(64) float values[lanes] = {};
  for (int i = 0; i < p.columns(); ++i) store(column[i], p.board.column(i));
  store(lines, p.path[PATH_LINES]);
  store(row, landing_row);
  for (int n = 0; n < lanes; ++n) {
    if (!((in_use >> n) & 1)) continue;
    BoardView view{p.columns(), p.rows(), int32_t(lines[n]), int32_t(row[n]), {}, {}};
    for (int i = 0; i < p.columns(); ++i) {
      view.words[i] = column[i][n];
      view.heights[i] = height(column[i][n]);
    }
    values[n] = features.custom[custom](&view);
    if (!(values[n] - values[n] == 0)) store_atomically(*features.failed, custom + 1);
  }
  return load_real(values);
}

// The value of feature number i of the set.
template <int Columns>
inline Real feature_value(const Afterstates<Columns>& p, const FeatureSet& features, int i, Word landing_row,
                          uint32_t in_use) {
  const int number = features.number[i];
  if (number >= Catalogue::count) return custom_value(p, features, number - Catalogue::count, landing_row, in_use);
  return Catalogue::function<Afterstates<Columns>>[number](p);
}

}  // namespace blockfall::BLOCKFALL_ARCH
