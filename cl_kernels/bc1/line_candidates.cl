// line_candidates.cl — end points with the places that texels get between them, and one more fit from there.
//   exactness as bc1/line_fit.cl; equals codec/ref/bc1_polish.cpp bit for bit on every device
#include "bc1/line_fit.cl"

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
