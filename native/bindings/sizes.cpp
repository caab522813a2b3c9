// The core's size limits, so that Python need not repeat them.
#include "bindings.hpp"
#include "blockfall/estimate.hpp"
#include "blockfall/many_games.hpp"
#include "blockfall/search/hopeless.hpp"

namespace blockfall::bindings {

void bind_sizes(nb::module_& m) {
  const std::pair<const char*, int> sizes[] = {
      {"MIN_COLUMNS", min_columns},
      {"MAX_COLUMNS", max_columns},
      {"MIN_ROWS", min_rows},
      {"MAX_ROWS", max_rows},
      {"MAX_LEVELS", max_levels},
      {"MAX_KNOWN", max_known},
      {"MAX_FEATURES", max_features},
      {"MAX_CUSTOM", max_custom},
      {"MAX_LAYERS", max_layers},
      {"MAX_WIDTH", max_width},
      {"MAX_SEQUENCES", max_sequences},
      {"MAX_PLIES", max_plies},
      {"MAX_SAMPLE", max_sample},
      {"MAX_THREADS", max_threads},
      {"MAX_TRIES", max_tries},
      {"MAX_GAMES", max_games},
      {"TABLE_ENTRIES", table_entries},
      {"TABLE_WINDOW", window},
      {"TABLE_STEEPEST", steepest},
      {"MAX_HOPELESS_SIZE", search::max_hopeless_size},
      {"MAX_HOPELESS_COLOURS", search::max_hopeless_colours},
  };
  for (const auto& [name, size] : sizes) m.attr(name) = size;
}

}  // namespace blockfall::bindings
