// Lists of features, which the headers of this folder end with.
#pragma once

#include "../afterstates.hpp"
#include "facts.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline Real as_real(Word word) { return to_real(word); }
inline Real as_real(Real real) { return real; }

template <class Feature, class P>
Real real_value(const P& p) {
  return as_real(Feature::value(p));
}

template <int... Numbers>
struct Sequence {};
template <int Count, int... Numbers>
struct SequenceUpTo : SequenceUpTo<Count - 1, Count - 1, Numbers...> {};
template <int... Numbers>
struct SequenceUpTo<0, Numbers...> {
  using Type = Sequence<Numbers...>;
};
template <int Count>
using SequenceTo = typename SequenceUpTo<Count>::Type;

template <class... Features>
struct FeatureList {
  static constexpr int count = int(sizeof...(Features));
  static constexpr FeatureFacts facts[] = {Features::facts...};
  template <class P>
  static constexpr Real (*function[])(const P&) = {real_value<Features, P>...};
};

template <class... Lists>
struct JoinedLists;
template <class... A>
struct JoinedLists<FeatureList<A...>> {
  using List = FeatureList<A...>;
};
template <class... A, class... B, class... Rest>
struct JoinedLists<FeatureList<A...>, FeatureList<B...>, Rest...> {
  using List = typename JoinedLists<FeatureList<A..., B...>, Rest...>::List;
};
template <class... Lists>
using Joined = typename JoinedLists<Lists...>::List;

// The feature at an index of a list.
template <int Place, class List>
struct FeatureAt;
template <class First, class... Rest>
struct FeatureAt<0, FeatureList<First, Rest...>> {
  using Type = First;
};
template <int Place, class First, class... Rest>
struct FeatureAt<Place, FeatureList<First, Rest...>> : FeatureAt<Place - 1, FeatureList<Rest...>> {};

// One feature per number from 1 to Count.
template <template <int> class Feature, class Numbers>
struct Family;
template <template <int> class Feature, int... Zeros>
struct Family<Feature, Sequence<Zeros...>> {
  using List = FeatureList<Feature<Zeros + 1>...>;
};
template <template <int> class Feature, int Count>
using Numbered = typename Family<Feature, SequenceTo<Count>>::List;

}  // namespace blockfall::BLOCKFALL_ARCH
