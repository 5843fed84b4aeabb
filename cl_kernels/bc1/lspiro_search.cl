// lspiro_search.cl — BC1 by LSpiro steps 1 to 3, one work-item per block, one lane per texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   private mem  2 x (2 LSPIRO_RADIUS + 1)^2 ints, and two tables of costs (4 x int16)
//   in   source  as in common/load.cl
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      LSPIRO_PASSES = 1..16, LSPIRO_RADIUS = 1..4
//   exactness    as bc1/integer_fit.cl; equals codec/ref/bc/bc1_lspiro.cpp bit for bit on every device
//   source       as bc1/lspiro_correct.cl
#include "bc1/lspiro_correct.cl"
#include "include/kernels/effort.h"

#ifndef LSPIRO_RADIUS
#define LSPIRO_RADIUS 1
#endif
#define SIDE (2 * LSPIRO_RADIUS + 1)
#define PAIRS (SIDE * SIDE)
#define NOT_A_CODE (1 << 29)  // more than any bound of a code, and the sum of two is still an int

// The cost of a channel's part of the palette: for every weight the squared distance to every texel, minus the texel's
// square.
typedef struct {
  int16 w0, w1, w2, w3;
} lspiro_costs;

static void set_costs(int16 v, int code_a, int code_b, int up, int down, lspiro_costs *c) {
  const int a = code_a << up | code_a >> down, b = code_b << up | code_b >> down;
  const int p1 = ((a + 2 * b) * 21846) >> 16, p2 = ((2 * a + b) * 21846) >> 16;  // truncated thirds
  c->w0 = b * b - 2 * b * v;
  c->w1 = p1 * p1 - 2 * p1 * v;
  c->w2 = p2 * p2 - 2 * p2 * v;
  c->w3 = a * a - 2 * a * v;
}

static void add_costs(const lspiro_costs *before, int16 v, int code_a, int code_b, int up, int down, lspiro_costs *c) {
  set_costs(v, code_a, code_b, up, down, c);
  c->w0 += before->w0;
  c->w1 += before->w1;
  c->w2 += before->w2;
  c->w3 += before->w3;
}

static int least_cost(const lspiro_costs *c) { return sum16(min(min(c->w0, c->w1), min(c->w2, c->w3))); }

// Pair n of the codes around (a, b); b changes faster.
static int2 pair_at(int a, int b, int n) {
  return (int2)(a + n / SIDE - LSPIRO_RADIUS, b + n % SIDE - LSPIRO_RADIUS);
}
static bool is_code(int2 pair, int largest) {
  return pair.x >= 0 && pair.x <= largest && pair.y >= 0 && pair.y <= largest;
}

// A lower bound of the error of one channel with this pair, whatever the other channels are.
static int pair_bound(int16 v, int2 pair, int largest, int up, int down) {
  if (!is_code(pair, largest)) return NOT_A_CODE;
  lspiro_costs costs;
  set_costs(v, pair.x, pair.y, up, down, &costs);
  return least_cost(&costs);
}

static void try_blue(const fit_block *f, const lspiro_costs *both, int both_bound, int blue_bound, int2 r, int2 g, int2 b,
                     lspiro_candidate *best) {
  if (blue_bound == NOT_A_CODE || both_bound + blue_bound >= best->error) return;
  lspiro_costs costs;
  add_costs(both, f->b, b.x, b.y, 3, 2, &costs);
  const int error = least_cost(&costs);
  if (error >= best->error) return;
  best->error = error;
  best->ends.a = (int3)(r.x, g.x, b.x);
  best->ends.b = (int3)(r.y, g.y, b.y);
}

// The best of the neighbourhood, by branch and bound: a branch ends as soon as its lower bound is not better. The order
// is that of the reference, so that the same one wins among equals. The last level is unrolled, because llvmpipe (Mesa
// 22.3) ends all loops of a kernel after 65535 iterations together; radius 2 is always below that, 3 and 4 are not.
static void best_around(const fit_block *f, lspiro_candidate *best) {
  const ends565 centre = best->ends;
  int green[PAIRS], blue[PAIRS];
  int least_green = NOT_A_CODE, least_blue = NOT_A_CODE;
  for (int n = 0; n < PAIRS; ++n) {
    green[n] = pair_bound(f->g, pair_at(centre.a.y, centre.b.y, n), 63, 2, 4);
    blue[n] = pair_bound(f->b, pair_at(centre.a.z, centre.b.z, n), 31, 3, 2);
    least_green = min(least_green, green[n]);
    least_blue = min(least_blue, blue[n]);
  }
  for (int nr = 0; nr < PAIRS; ++nr) {
    const int2 r = pair_at(centre.a.x, centre.b.x, nr);
    if (!is_code(r, 31)) continue;
    lspiro_costs red;
    set_costs(f->r, r.x, r.y, 3, 2, &red);
    const int red_bound = least_cost(&red);
    if (red_bound + least_green + least_blue >= best->error) continue;
    for (int ng = 0; ng < PAIRS; ++ng) {
      if (green[ng] == NOT_A_CODE || red_bound + green[ng] + least_blue >= best->error) continue;
      const int2 g = pair_at(centre.a.y, centre.b.y, ng);
      lspiro_costs both;
      add_costs(&red, f->g, g.x, g.y, 2, 4, &both);
      const int bound = least_cost(&both);
      for (int row = 0; row < SIDE; ++row) {
#define COLUMN(n) try_blue(f, &both, bound, blue[SIDE * row + n], r, g, pair_at(centre.a.z, centre.b.z, SIDE * row + n), best);
        COLUMN(0) COLUMN(1) COLUMN(2)
#if LSPIRO_RADIUS > 1
        COLUMN(3) COLUMN(4)
#endif
#if LSPIRO_RADIUS > 2
        COLUMN(5) COLUMN(6)
#endif
#if LSPIRO_RADIUS > 3
        COLUMN(7) COLUMN(8)
#endif
#undef COLUMN
      }
    }
  }
}

kernel void bc1_lspiro3(SOURCE source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t CHANGED_TILES) {
  SKIP_UNCHANGED(&t);
  int block;
  fit_block f;
  lspiro_candidate best;
  if (!load_corrected(source, &s, &t, &block, &f, &best)) return;
  for (int round = 0; round < TEXCAST_LSPIRO_ROUNDS; ++round) {
    const int before = best.error;
    best_around(&f, &best);
    if (best.error == before) break;
  }
  blocks[block] = pack_nearest(&f, best.ends);
}
