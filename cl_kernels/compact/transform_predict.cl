// transform_predict.cl — predictions of transform blocks: inter from the padded planes of the reference frame
// (transform_planes.cl), and intra from the samples around the block.
#include "compact/transform_search.cl"
#include "compact/transform_trials.cl"

// Eight samples beside each other in Co or Cg, from column x and row y of the plane on, filtered across: 32 or 64 times
// the samples.
static int8 filtered_across(int8 taps, global const uint *plane, local const plane_view *v, int x, int y) {
  padded_row r;
  begin_row(&r, plane, v, x - TAPS_BEFORE, y);
  const uint n0 = number_at(&r, 0), n1 = number_at(&r, 1), n2 = number_at(&r, 2), n3 = number_at(&r, 3);
  const int4 a = texels_of_row(joined(&r, n0, n1)), b = texels_of_row(joined(&r, n1, n2));
  const int4 c = texels_of_row(joined(&r, n2, n3));
  const int d = (int)(n3 >> r.shift & 255);
  const int4 ab = (int4)(a.zw, b.xy), bc = (int4)(b.zw, c.xy);
  return taps.s0 * (int8)(a, b) + taps.s1 * (int8)(a.yzw, b.xyzw, c.x) + taps.s2 * (int8)(ab, bc) +
         taps.s3 * (int8)(a.w, b.xyzw, c.xyz) + taps.s4 * (int8)(b, c) + taps.s5 * (int8)(b.yzw, c.xyzw, d);
}
// The same, filtered in both directions.
static uint2 filtered_samples(int8 across, int8 down, int shift, global const uint *plane, local const plane_view *v,
                              int x, int y) {
  int8 sum = (int8)(1 << (shift - 1));
  for (int i = 0; i < 6; ++i) {
    int tap = down.s0;
    if (i == 1) tap = down.s1;
    if (i == 2) tap = down.s2;
    if (i == 3) tap = down.s3;
    if (i == 4) tap = down.s4;
    if (i == 5) tap = down.s5;
    if (tap != 0) sum += tap * filtered_across(across, plane, v, x, y + i - TAPS_BEFORE);
  }
  return packed_eight(sum >> shift);
}
static uint2 means_of_eight(uint2 a, uint2 b) { return (uint2)(means_of_four(a.x, b.x), means_of_four(a.y, b.y)); }
// Eight samples of Co or Cg at a vector, from column x and row y of the plane on.
static uint2 chroma_samples(global const uint *plane, local const plane_view *v, int4 vector, int x, int y) {
  x += vector.x;
  y += vector.y;
  if (is_subsampled(ACROSS, DOWN))
    return filtered_samples(taps_at_eighth(vector.z), taps_at_eighth(vector.w), SUBSAMPLED_TAPS_SHIFT, plane, v, x, y);
  const int4 places = half_samples(vector.zw >> 1);
  const uint2 first = filtered_samples(taps_at_half(places.x), taps_at_half(places.y), TAPS_SHIFT, plane, v, x, y);
  if (!is_mean(places)) return first;
  const uint2 second = filtered_samples(taps_at_half(places.z), taps_at_half(places.w), TAPS_SHIFT, plane, v, x, y);
  return means_of_eight(first, second);
}

// Eight samples of luma at a place in half pixels, and of two of these at a place in quarter pixels.
static uint2 eight_samples(global const uint *planes, local const plane_view *v, int2 place) {
  padded_row r;
  begin_luma(&r, planes, v, place, 0);
  const uint a = number_at(&r, 0), b = number_at(&r, 1), c = number_at(&r, 2);
  return (uint2)(joined(&r, a, b), joined(&r, b, c));
}
static uint2 luma_samples(global const uint *planes, local const plane_view *v, int2 quarters) {
  const int4 places = half_samples(quarters);
  const uint2 first = eight_samples(planes, v, places.xy);
  if (!is_mean(places)) return first;
  return means_of_eight(first, eight_samples(planes, v, places.zw));
}
// The inter prediction of a row of a transform block.
static uint2 inter_row(local const group_memory *m, global const uint *planes, const slot_place *s, int row) {
  const int component = component_of(s->block);
  local const plane_view *v = m->views + component;
  local const plane_part *part = m->parts + component;
  const int2 vector = vector_of(m->trials[s->trial].vector, 0);
  const int x = 4 * part->x + 8 * column_of(s->block), y = 4 * part->y + 8 * row_of(s->block) + row;
  if (component == 0) return luma_samples(planes, v, (int2)(4 * x + vector.x, 4 * y + vector.y));
  return chroma_samples(planes + v->plane, v, texel_vector(vector, ACROSS, DOWN), x, y);
}

// The samples on the left of a block and above it, in an intra trial. Samples beyond the tile repeat the last one.
typedef struct intra_edges {
  uint2 left, above;
  bool has_left, has_above;
} intra_edges;
static void find_edges(local const group_memory *m, const slot_place *s, intra_edges *e) {
  const int mode = s->trial - FIRST_INTRA, block = s->block, component = component_of(block);
  local const plane_view *v = m->views + component;
  local const plane_part *part = m->parts + component;
  local const uchar *left = column_of(block) > 0 ? m->inner_left[mode][component] : m->left[component];
  local const uchar *above = row_of(block) > 0 ? m->inner_above[mode][component]
                                         : m->above[component] + 4 * (part->x - v->x);
  const int last_row = 4 * part->rows - 1, last_column = 4 * part->columns - 1;
  e->has_left = part->x + 2 * column_of(block) > v->x;
  e->has_above = part->y + 2 * row_of(block) > v->y;
  e->left = e->above = (uint2)(0, 0);
  for (int i = 0; i < 4; ++i) {
    const int x = 8 * column_of(block) + i, y = 8 * row_of(block) + i;
    if (e->has_left)
      e->left |= (uint2)(left[min(y, last_row)], left[min(y + 4, last_row)]) << (uint)(8 * i);
    if (e->has_above)
      e->above |= (uint2)(above[min(x, last_column)], above[min(x + 4, last_column)]) << (uint)(8 * i);
  }
}
static uint2 intra_row(local const group_memory *m, const slot_place *s, int row) {
  const int mode = MACROBLOCK_INTRA_DC + s->trial - FIRST_INTRA;
  intra_edges e;
  find_edges(m, s, &e);
  const int mean = intra_mean(e.left, e.above, e.has_left, e.has_above);
  uint2 samples = (uint2)(0, 0);
  for (int i = 0; i < 4; ++i) {
    const int left = intra_texel(mode, i, row, e.left, e.above, e.has_left, e.has_above, mean);
    const int right = intra_texel(mode, i + 4, row, e.left, e.above, e.has_left, e.has_above, mean);
    samples |= (uint2)((uint)left, (uint)right) << (uint)(8 * i);
  }
  return samples;
}

// Predicts all slots, and transforms the rows of their residuals. All items call this together after a barrier.
static void predict_slots(local group_memory *m, const pass_state *pass, global const uint *planes, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, row = n & 7;
    slot_place s;
    if (!find_slot(m, pass, slot, &s)) continue;
    uint2 samples = (uint2)(0, 0);
    if (is_intra_pass(pass))
      samples = intra_row(m, &s, row);
    else
      samples = inter_row(m, planes, &s, row);
    transform_row(m, slot, s.block, row, samples);
  }
}

// Keeps the samples that later blocks of the same intra trials are predicted from: of a row, and of the last column.
static void keep_inner_edge(local group_memory *m, const slot_place *s, int row, uint2 samples) {
  const int component = component_of(s->block), mode = s->trial - FIRST_INTRA, y = 8 * row_of(s->block) + row;
  if (column_of(s->block) == 0) m->inner_left[mode][component][y] = (uchar)(samples.y >> 24);
  if (row_of(s->block) != 0 || row != 7) return;
  local uchar *above = m->inner_above[mode][component] + 8 * column_of(s->block);
  vstore4(as_uchar4(samples.x), 0, above);
  vstore4(as_uchar4(samples.y), 0, above + 4);
}
