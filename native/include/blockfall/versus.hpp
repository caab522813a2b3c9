// Games as players of the Tetris Guideline meet them: with a hold queue, and with the lines that clears send.
#pragma once

#include <vector>

#include "dispatch.hpp"
#include "spins.hpp"

namespace blockfall {

// What clears send to an opponent (`[attack]` of a rule set).
struct AttackTable {
  int64_t lines[4], mini[2], spin[3];  // by lines that went at once: plain, with a mini spin, with a full spin
  int64_t back_to_back, perfect_clear;
  std::vector<int64_t> combo;  // by the clears in a row before this one; the last entry repeats
};

struct Attack {
  int64_t lines = 0;  // sent so far
  int64_t combo = 0;  // clears in a row up to now
  bool back_to_back = false;

  void add(const AttackTable& table, int lines_cleared, Spin spin, bool empty);
};

struct Versus {
  const AttackTable* table;  // null where the rules count no attack
  bool hold;                 // whether the agent uses the hold queue, which the rules must have
  int pieces_shown;          // at least those that the agent knows; 2 for one that is to hold
  int64_t* attack;           // of each game, beside the batch's outcomes
};

// Plays the batch, of one candidate, as `play` does. With a hold queue the agent places the piece, or the one that the
// queue would bring: the second where its best sequence is worth more.
void play_versus(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, const Versus& versus,
                 int threads, const std::function<bool()>& poll);

// A game's piece goes into the hold queue, and the one that is there, or else the next one, comes out.
void hold_piece(const Rules& rules, Game& game, uint8_t& held);

}  // namespace blockfall
