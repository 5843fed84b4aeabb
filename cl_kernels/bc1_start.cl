// bc1_start.cl — range fit and two least-squares passes in integers, the best of them: where the search starts.
//   exactness as bc1_fit.cl; equals refine_bc1 of codec/ref/bc1_start.cpp bit for bit on every device
//   source    least squares with fixed indices: S. Brown, "DXT Compression Techniques", 2006

#define FLAT_RANGE 6  // up to this range a block is nearly flat, and its exact colour is worth more than its slope

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
