// bc1_refine.cl — BC1 by least squares along the principal axis, one work-item a block, one lane a texel.
//   work-group   any, one-dimensional; global = blocks rounded up; items past the last block return early
//   in   source  as load.cl says, with LOAD_FLOATS
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    as bc1_line.cl; equals codec/ref/bc1_refine.cpp bit for bit on every device
//   source       principal axis: I. Castano, "High Quality DXT Compression using CUDA", 2007; least squares with fixed
//                indices: S. Brown, "DXT Compression Techniques", 2006

kernel void bc1_refine_once(SOURCE source, global uint2 *blocks, const texcast_source s,
                            const texcast_target t) {
  int block;
  rgb_block texels;
  if (!load_own_block(source, &s, &t, &block, &texels)) return;
  line_block p;
  make_line_block(texels, &p);
  float16 w;
  const float range = first_weights(&p, leaning_axis(&p), &w);
  line_sums sums;
  line_sums_of(&p, w, &sums);
  line_ends ends;
  line_fit(p.sum, &sums, &ends);
  if (range <= FLAT_ONCE * SLOPE || line_determinant(&sums) == 0.0f || equal_line_ends(&ends)) line_flat(p.sum, &ends);
  blocks[block] = pack_line(&ends, line_places(&p, &ends));
}

typedef struct {
  line_ends ends;
  float16 places;
  float error;
} line_candidate;

static void try_ends(const line_block *p, const line_ends *ends, line_sums *sums, line_candidate *best) {
  const float16 places = line_places(p, ends);
  line_sums_of(p, places - ROUND, sums);
  const float error = line_error(p->sum, sums, ends);
  if (error >= best->error) return;
  best->ends = *ends;
  best->places = places;
  best->error = error;
}

// The least-squares end points from the axis on, or line_flat for a nearly flat block; the sums of their weights.
static void start_line(const line_block *p, float3 axis, line_sums *sums, line_candidate *best) {
  float16 w;
  const float range = first_weights(p, axis, &w);
  line_sums_of(p, w, sums);
  line_ends ends;
  line_fit(p->sum, sums, &ends);
  if (range <= FLAT * SLOPE || line_determinant(sums) == 0.0f || equal_line_ends(&ends)) line_flat(p->sum, &ends);
  best->error = INFINITY;
  try_ends(p, &ends, sums, best);
}

// One more fit to the weights that the best so far has.
static void polish_line(const line_block *p, line_sums *sums, line_candidate *best) {
  if (line_determinant(sums) == 0.0f) return;
  line_ends ends;
  line_fit_closely(p->sum, sums, &ends);
  try_ends(p, &ends, sums, best);
}

kernel void bc1_refine(SOURCE source, global uint2 *blocks, const texcast_source s,
                       const texcast_target t) {
  int block;
  rgb_block texels;
  if (!load_own_block(source, &s, &t, &block, &texels)) return;
  line_block p;
  make_line_block(texels, &p);
  line_candidate best;
  line_sums sums;
  start_line(&p, line_axis(&p), &sums, &best);
  polish_line(&p, &sums, &best);
  blocks[block] = pack_line(&best.ends, best.places);
}
