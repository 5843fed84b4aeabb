// bc1_refine.cl — BC1 by range fit and least squares, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as load.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    as bc1_fit.cl; equals codec/ref/bc1_refine.cpp bit for bit on every device
//   source       least squares with fixed indices: S. Brown, "DXT Compression Techniques", 2006

#define FLAT_RANGE_ONCE 4  // up to this range a block is nearly flat, and its exact colour is worth more than its slope
#define FLAT_RANGE 6

kernel void bc1_refine_once(SOURCE source, global uint2 *blocks, const texcast_source s,
                            const texcast_target t) {
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  fit_block f;
  make_fit_block(p, &f);
  int widest;
  ends565 ends;
  range_ends(p, &widest, &ends);
  fit_sums sums;
  sums_of(&f, project_weights(&f, ends), &sums);
  const bool sloped = determinant(sums) != 0 && widest > FLAT_RANGE_ONCE;
  if (sloped) fit_ends(f.sum, sums, &ends);
  if (!sloped || equal_ends(ends)) flat_ends(f.sum, &ends);
  blocks[block] = pack_bc1(p.r, p.g, p.b, ends.a, ends.b);
}

typedef struct {
  ends565 ends;
  int error;  // fit_error
} bc1_candidate;

#define NO_ERROR_YET (1 << 30)

static void keep_better(ends565 ends, int error, bc1_candidate *best) {
  if (error >= best->error) return;
  best->ends = ends;
  best->error = error;
}

static void refine(rgb_block p, const fit_block *f, bc1_candidate *best) {
  int widest;
  range_ends(p, &widest, &best->ends);
  best->error = NO_ERROR_YET;
  fit_sums sums;
  sums_of(f, project_weights(f, best->ends), &sums);
  for (int pass = 0; pass < 2 && determinant(sums) != 0; ++pass) {
    ends565 ends;
    fit_ends(f->sum, sums, &ends);
    sums_of(f, project_weights(f, ends), &sums);
    keep_better(ends, fit_error(f->sum, sums, ends), best);
  }
  if (best->error == NO_ERROR_YET || equal_ends(best->ends) || widest <= FLAT_RANGE) {
    ends565 ends;
    flat_ends(f->sum, &ends);
    sums_of(f, project_weights(f, ends), &sums);
    keep_better(ends, fit_error(f->sum, sums, ends), best);
  }
}

kernel void bc1_refine(SOURCE source, global uint2 *blocks, const texcast_source s,
                       const texcast_target t) {
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  fit_block f;
  make_fit_block(p, &f);
  bc1_candidate best;
  refine(p, &f, &best);
  blocks[block] = pack_bc1(p.r, p.g, p.b, best.ends.a, best.ends.b);
}
