// What a learner's curve shows: how far its predictions were off, and how large they were.
#pragma once

#include "../board.hpp"

namespace blockfall {

// Sums over the predictions since it was last set to zero.
struct LearningCurve {
  double squared_errors, values;
  int64_t predictions;
};

namespace BLOCKFALL_ARCH {

inline void add_prediction(LearningCurve& curve, double value, double error) {
  curve.squared_errors += error * error;
  curve.values += value;
  ++curve.predictions;
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
