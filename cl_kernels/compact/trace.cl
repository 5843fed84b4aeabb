// trace.cl — the context state that a sub-block leaves for the next ones of its slice (NeighbourState in
// codec/compact/bitstream/include/compact/contexts.h), in a number of 10 bits.
#include "compact/syntax.cl"

// The members of NeighbourState. All are 0 if there is no neighbour.
static uint trace_kind(uint trace) { return trace & 3; }
static uint trace_ends(uint trace) { return trace >> 2 & 3; }
static uint trace_indices(uint trace) { return trace >> 4 & 15; }
static uint trace_difference(uint trace) { return trace >> 8; }
static uint trace_of_coded(int ends, int indices, uint largest) {
  // A hexadecimal digit for each mode.
  const uint of_ends = (uint)(0x222222223221UL >> 4 * ends) & 15;
  const uint of_indices = (uint)(0x7658765433321UL >> 4 * indices) & 15;
  const uint is_told = 0x13E0u >> indices & 1;  // with a rank or level for each texel
  return 2 + is_told + (of_ends << 2) + (of_indices << 4) + (largest << 8);
}
