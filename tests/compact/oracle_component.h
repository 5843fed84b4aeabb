// oracle_component.h — one component of one tile or sub-slice, as the oracle decodes it.
#pragma once

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "oracle.h"
#include "oracle_symbols.h"

namespace oracle {

// The symbols of a slice that come before its sub-blocks, and its coded sub-blocks.
struct Head {
  bool lossy = false;
  int content = 0;
  int least_range = 0;
  std::vector<std::array<int, 2>> vectors;  // of the partitions; lossy: in half pixels
  std::vector<bool> copied;                 // lossy: of the partitions
  int across = 0;                           // partitions in a row
  // Coded sub-blocks of the first component, by their column and row in the slice.
  std::map<std::pair<int, int>, bool> coded;

  // The modes of the first component's sub-blocks by their column and row in the picture, and the match vectors that
  // they leave. Only of opaque ones.
  std::map<std::pair<int, int>, std::pair<int, std::array<int, 2>>> modes;

  int first_set() const { return lossy ? kLossySets + content * kSetsOfAKind : 0; }
};

struct ComponentInput {
  const Decoder::Component& component;
  const Decoder::Component& first;          // the texture's first component
  std::array<int, 4> rect;                  // as Decoder::blocks_of()
  const std::vector<std::byte>* reference;  // nullptr: the slice is intra
  unsigned tiles_across;
};

// Decodes all its sub-blocks in `texture`. Adds the tiles that they read to `referenced`.
void read_component(const ComponentInput& input, Symbols& symbols, Head& head, std::vector<std::byte>& texture,
                    std::set<unsigned>& referenced, Decoder::Seen& seen);

}  // namespace oracle
