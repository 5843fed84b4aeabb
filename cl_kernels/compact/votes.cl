// votes.cl — the best two motion candidates of a tile, in the order of comes_before() in
// codec/compact/motion/motion_search.cpp. Each is a vector, packed by pack_vector(), and its number of matches.
#include "compact/half_block.cl"

#define NO_VOTE 0u
// More matches come first; then the shorter vector; then the smaller y, then x.
static bool comes_before(uint2 a, uint2 b) {
  if (a.y != b.y) return a.y > b.y;
  const int2 v = unpack_vector(a.x), w = unpack_vector(b.x);
  const uint v_length = abs(v.x) + abs(v.y), w_length = abs(w.x) + abs(w.y);
  if (v_length != w_length) return v_length < w_length;
  return v.y != w.y ? v.y < w.y : v.x < w.x;
}
static void take_vote(uint2 best[2], uint2 vote) {
  if (vote.y == 0 || vote.x == best[0].x || vote.x == best[1].x) return;
  if (comes_before(vote, best[0])) {
    best[1] = best[0];
    best[0] = vote;
  } else if (comes_before(vote, best[1])) {
    best[1] = vote;
  }
}
