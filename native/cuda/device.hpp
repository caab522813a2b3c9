// What every program for a GPU begins with: the structs that the host has made, with what is not in the host's images.
#pragma once

#include "blockfall/agent.hpp"
#include "blockfall/rules.hpp"

namespace blockfall::cuda {

static_assert(sizeof(Rules) == BLOCKFALL_RULES_BYTES, "the host's compiler lays out this struct in another way");

}  // namespace blockfall::cuda
