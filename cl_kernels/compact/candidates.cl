// candidates.cl — the best two motion candidates of a tile, in the order of comes_before() in
// codec/compact/motion/motion_search.cpp. Each is a vector, packed by pack_vector(), and its number of matches.
#include "compact/sub_block.cl"

#define NO_VECTOR 0u
// More matches come first; then the shorter vector; then the smaller y, then x.
static bool comes_before(uint2 a, uint2 b) {
  if (a.y != b.y) return a.y > b.y;
  const int2 v = unpack_vector(a.x), w = unpack_vector(b.x);
  const uint v_length = abs(v.x) + abs(v.y), w_length = abs(w.x) + abs(w.y);
  if (v_length != w_length) return v_length < w_length;
  return v.y != w.y ? v.y < w.y : v.x < w.x;
}
static void take_candidate(uint2 best[2], uint2 candidate) {
  if (candidate.y == 0 || candidate.x == best[0].x || candidate.x == best[1].x) return;
  if (comes_before(candidate, best[0])) {
    best[1] = best[0];
    best[0] = candidate;
  } else if (comes_before(candidate, best[1])) {
    best[1] = candidate;
  }
}
