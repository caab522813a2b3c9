// A feature's entry in the catalogue, kept beside the code that computes it.
#pragma once

#include "../sizes.hpp"

namespace blockfall {

struct FeatureFacts {
  const char* name;
  const char* aliases = "";  // separated by spaces
  const char* definition;
  const char* formula;
  const char* source;
  const char* looks_at = "board";  // or "move", or "both pieces": what it depends on
  const char* cost = "words";      // or "heights", "rows", "flood": the kind of work it takes
  uint32_t needs = 0;
  // A board of the standard rules, top row first. # and x are filled cells, . and o are empty, @ is the piece just
  // placed; x and o are counted.
  const char* example;
  double example_value;
};

// "column-height-" and 3 make "column-height-3".
template <int Length>
struct NumberedName {
  char text[Length + 3] = {};

  constexpr NumberedName(const char (&prefix)[Length], int number) {
    int at = 0;
    while (prefix[at]) text[at] = prefix[at], ++at;
    if (number >= 10) text[at++] = char('0' + number / 10);
    text[at] = char('0' + number % 10);
  }
};

}  // namespace blockfall
