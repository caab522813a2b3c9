// A learner's curve: the size of its predictions and of their errors.
#pragma once

#include "../board.hpp"

namespace blockfall {

// Sums over the predictions since the last reset.
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
