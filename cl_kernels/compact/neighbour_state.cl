// neighbour_state.cl — the context state that a sub-block leaves for the next ones of its slice (NeighbourState in
// codec/compact/bitstream/include/compact/contexts.h), in a number of 10 bits.
#include "compact/syntax.cl"

// The members of NeighbourState. All are 0 if there is no neighbour.
static uint state_kind(uint state) { return state & 3; }
static uint state_ends(uint state) { return state >> 2 & 3; }
static uint state_indices(uint state) { return state >> 4 & 15; }
static uint state_residual(uint state) { return state >> 8; }
static uint state_of_coded(int ends, int indices, uint largest) {
  // A hexadecimal digit for each mode.
  const uint of_ends = (uint)(0x222222223221UL >> 4 * ends) & 15;
  const uint of_indices = (uint)(0x7658765433321UL >> 4 * indices) & 15;
  const uint is_coded = 0x13E0u >> indices & 1;  // with a rank or level for each texel
  return 2 + is_coded + (of_ends << 2) + (of_indices << 4) + (largest << 8);
}
