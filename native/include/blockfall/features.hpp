// The catalogue: every feature the core computes. To add one, write a struct with its facts and its value beside the
// others of its kind, and name it in this list; the command line, the documentation and the tests take it from here.
#pragma once

#include "features/heights.hpp"
#include "features/holes.hpp"
#include "features/move.hpp"
#include "features/transitions.hpp"
#include "features/wells.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline Real as_real(Word word) { return to_real(word); }
inline Real as_real(Real real) { return real; }

template <class Feature, class P>
Real real_value(const P& p) {
  return as_real(Feature::value(p));
}

template <class... Features>
struct FeatureList {
  static constexpr int count = int(sizeof...(Features));
  static constexpr FeatureFacts facts[] = {Features::facts...};
  template <class P>
  static constexpr Real (*function[])(const P&) = {real_value<Features, P>...};
};

using Catalogue = FeatureList<LandingHeight, TotalLockHeight, LinesCleared, ErodedCells,                          //
                              HeightsSumBeforeRemoval, BumpinessBeforeRemoval, Diversity,                         //
                              Holes, HolesBeforeRemoval, HoleDepth, RowsWithHoles, ColumnHoles,                   //
                              RowTransitions, RowTransitionsOccupied, ColumnTransitions, ColumnTransitionsInner,  //
                              WellSums, WellSumsFast, WellCells>;

}  // namespace blockfall::BLOCKFALL_ARCH
