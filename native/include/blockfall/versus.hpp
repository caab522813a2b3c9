// Games as in versus play under the Tetris Guideline: with a hold queue, and with the lines that clears send.
#pragma once

#include <vector>

#include "dispatch.hpp"
#include "spins.hpp"

namespace blockfall {

// The lines that clears send to an opponent (`[attack]` of a rule set).
struct AttackTable {
  int64_t lines[4], mini[2], spin[3];  // by the number of lines removed: plain, with a mini spin, with a full spin
  int64_t back_to_back, perfect_clear;
  std::vector<int64_t> combo;  // by the number of consecutive clears before this one; the last entry repeats
};

struct Attack {
  int64_t lines = 0;  // sent so far
  int64_t combo = 0;  // consecutive clears so far
  bool back_to_back = false;

  void add(const AttackTable& table, int lines_cleared, Spin spin, bool empty);
};

struct Versus {
  const AttackTable* table;  // null if the rules count no attack
  bool hold;                 // whether the agent uses the hold queue, which the rules must have
  int pieces_shown;          // at least as many as the agent knows; 2 or more for an agent that holds
  int64_t* attack;           // of each game, parallel to the batch's outcomes
};

// Plays the batch of one candidate as `play` does. With a hold queue, the agent places either the piece in hand or the
// one that the queue would give, whichever has the better sequence; among equals, the piece in hand.
void play_versus(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, const Versus& versus,
                 int threads, const std::function<bool()>& poll);

// Puts the game's piece into the hold queue and takes out the one that is there, or else takes the next piece.
void hold_piece(const Rules& rules, Game& game, uint8_t& held);

}  // namespace blockfall
