// The catalogue: every feature that the core computes. To add one, write a struct with its facts and its value in one
// of these headers and name it in the list at the header's end. The command line, the documentation and the tests read
// the catalogue.
#pragma once

#include "features/cells.hpp"
#include "features/columns.hpp"
#include "features/heights.hpp"
#include "features/holes.hpp"
#include "features/move.hpp"
#include "features/transitions.hpp"
#include "features/wells.hpp"

namespace blockfall::BLOCKFALL_ARCH {

using Catalogue = Joined<MoveFeatures, HeightFeatures, DepthFeatures, HoleFeatures, TransitionFeatures, WellFeatures,
                         CellFeatures, ColumnFeatures>;

}  // namespace blockfall::BLOCKFALL_ARCH
