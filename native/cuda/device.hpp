// The start of every GPU program: the host's structs, and a check that both compilers lay them out alike.
#pragma once

#include "blockfall/agent.hpp"
#include "blockfall/rules.hpp"

namespace blockfall::cuda {

static_assert(sizeof(Rules) == BLOCKFALL_RULES_BYTES, "the host's compiler lays out this struct in another way");

}  // namespace blockfall::cuda
