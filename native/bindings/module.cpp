#include "bindings.hpp"

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // caches keep rules and agents until the end
  m.doc() = "The fast core: rules, placements, features, games, searches.";
  blockfall::bindings::bind_sizes(m);
  blockfall::bindings::bind_rules(m);
  blockfall::bindings::bind_game(m);
  blockfall::bindings::bind_board_network(m);
  blockfall::bindings::bind_play(m);
  blockfall::bindings::bind_batch(m);
  blockfall::bindings::bind_search(m);
  blockfall::bindings::bind_learning(m);
  blockfall::bindings::bind_seats(m);
  blockfall::bindings::bind_versus(m);
}
