// What the catalogue says about a feature, beside the code that computes it.
#pragma once

#include "../limits.hpp"

namespace blockfall {

struct FeatureFacts {
  const char* name;
  const char* aliases = "";  // separated by spaces
  const char* definition;
  const char* formula;
  const char* source;
  uint32_t needs = 0;
};

}  // namespace blockfall
