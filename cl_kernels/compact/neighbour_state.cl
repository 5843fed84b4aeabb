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
  const uint has_texels = 0x13E0u >> indices & 1;  // with a rank or level for each texel
  return 2 + has_texels + (of_ends << 2) + (of_indices << 4) + (largest << 8);
}

// The last four end points of a slice's component that were different from those before them, the latest first.
typedef struct recent_ends {
  uint e0, e1, e2, e3;
} recent_ends;
static void push_recent(recent_ends *recent, uint ends) {
  if (ends == recent->e0) return;
  if (ends != recent->e1) {
    if (ends != recent->e2) recent->e3 = recent->e2;
    recent->e2 = recent->e1;
  }
  recent->e1 = recent->e0;
  recent->e0 = ends;
}
static uint recent_at(const recent_ends *recent, uint i) {
  const uint low = (i & 1) != 0 ? recent->e1 : recent->e0, high = (i & 1) != 0 ? recent->e3 : recent->e2;
  return (i & 2) != 0 ? high : low;
}
static void start_recent(recent_ends *recent) {
  recent->e0 = 0x0000FFFFu;
  recent->e1 = 0xFFFF0000u;
  recent->e2 = recent->e3 = 0;
}
