// transform_search.cl — the source of a macroblock, and its motion vector: that of the partition and those of
// neighbours are tried at once, then the eight around the best one at half pixels, and then those around the best one
// at quarter pixels (MacroblockDecision::search()).
#include "compact/transform_group.cl"

// Loads the source texels of a macroblock. Those beyond the tile repeat its edge. All items call this together.
static void load_source(local group_memory *m, global const uint4 *texels, int item) {
  for (int n = item; n < BLOCKS * 4; n += DECIDE_ITEMS) {
    const int block = n / 4, number = n & 3;
    if (!has_block(m, block)) continue;
    local const plane_view *v = m->views + component_of(block);
    local const plane_part *part = m->parts + component_of(block);
    const int x = part->x + 2 * column_of(block) + (number & 1), y = part->y + 2 * row_of(block) + (number >> 1);
    const int last_x = v->x + v->columns - 1, last_y = v->y + v->rows - 1;
    uint4 rows = texels[v->first + min(y, last_y) * v->blocks_x + min(x, last_x)];
    if (x > last_x) rows = (rows >> 24) * 0x01010101u;
    if (y > last_y) rows = rows.wwww;
    local uint *to = (local uint *)m->source[block] + (number >> 1) * 8 + (number & 1);
    to[0] = rows.x;
    to[2] = rows.y;
    to[4] = rows.z;
    to[6] = rows.w;
  }
}

static int sum_of_texels(uint texels) {
  const uint pairs = (texels & 0xFF00FFu) + (texels >> 8 & 0xFF00FFu);
  return (int)((pairs & 0xFFFF) + (pairs >> 16));
}
// Sets intra_difference: how much luma differs from the means of its transform blocks. All items call this together,
// with `sums` and the result 0.
static void measure_source(local group_memory *m, int item) {
  const int block = item / 8, row = item & 7;
  const bool is_mine = item < 32 && has_block(m, block & 3);
  uint left = 0, right = 0;
  if (is_mine) {
    left = m->source[block][row].x;
    right = m->source[block][row].y;
    atomic_add(&m->sums[block], sum_of_texels(left) + sum_of_texels(right));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_mine) {
    const uint mean = (uint)((m->sums[block] + 32) >> 6) * 0x01010101u;
    atomic_add(&m->intra_difference, sad_of_four(left, mean) + sad_of_four(right, mean));
  }
}

// The predicted vector (compact::predicted_vector()).
static int2 predicted_vector(local const group_memory *m, const macroblock_place *at) {
  if (at->row == 0) return at->column == 0 ? (int2)(0, 0) : vector_of(m->vectors, (at->number + 7) & 7);
  const int2 above = vector_of(m->vectors, at->number - 4);
  if (at->column == 0) return above;
  const int2 left = vector_of(m->vectors, at->number - 1);
  const int2 third = vector_of(m->vectors, at->column + 1 < at->columns ? at->number - 3 : at->number - 5);
  return median_vector(left, above, third);
}

// A row of a padded plane from a sample on, read in numbers of four samples. Columns and rows count samples of the plane
// without its padding.
typedef struct padded_row {
  global const uint *from;
  int number, last, shift;  // of the first number, in the row; of its last one; the first sample in the number, in bits
} padded_row;
static void begin_row(padded_row *r, global const uint *plane, local const plane_view *v, int x, int y) {
  const int columns = v->blocks_x + 4, at = x + 8;
  r->from = plane + clamp(y + 4, 0, 4 * v->blocks_y + 7) * columns;
  r->number = at >> 2;
  r->last = columns - 1;
  r->shift = 8 * (at & 3);
}
// The first number of a row and the last one have the value that all samples beyond them have.
static uint number_at(const padded_row *r, int i) { return r->from[clamp(r->number + i, 0, r->last)]; }
// Four samples that begin in number `a`; `b` follows it.
static uint joined(const padded_row *r, uint a, uint b) { return (uint)(((ulong)b << 32 | a) >> r->shift); }

// Luma at a place in half pixels, and at a row below it.
static void begin_luma(padded_row *r, global const uint *planes, local const plane_view *v, int2 place, int row) {
  const int plane = ((place.x & 1) | (place.y & 1) << 1) * ((v->blocks_x + 4) * (v->blocks_y + 2) * 4);
  begin_row(r, planes + plane, v, place.x >> 1, (place.y >> 1) + row);
}
static uint4 sixteen_samples(global const uint *planes, local const plane_view *v, int2 place, int row) {
  padded_row r;
  begin_luma(&r, planes, v, place, row);
  const uint a = number_at(&r, 0), b = number_at(&r, 1), c = number_at(&r, 2), d = number_at(&r, 3);
  const uint e = number_at(&r, 4);
  return (uint4)(joined(&r, a, b), joined(&r, b, c), joined(&r, c, d), joined(&r, d, e));
}

// The SAD of a row of the macroblock at a vector.
static int sad_of_row(local const group_memory *m, global const uint *planes, int2 vector, int row) {
  local const plane_part *part = m->parts;
  local const plane_view *v = m->views;
  if (row >= ((part->rows + 1) & ~1) * 4) return 0;
  const int4 places = half_samples((int2)(part->x * 16 + vector.x, part->y * 16 + vector.y));
  uint4 samples = sixteen_samples(planes, v, places.xy, row);
  if (is_mean(places)) {
    const uint4 others = sixteen_samples(planes, v, places.zw, row);
    samples = (samples | others) - (((samples ^ others) >> 1) & 0x7F7F7F7Fu);
  }
  local const uint2 *source = m->source[row >> 3 << 1] + (row & 7);
  const uint2 left = source[0], right = source[8];
  int sum = sad_of_four(left.x, samples.x) + sad_of_four(left.y, samples.y);
  if (part->columns > 2) sum += sad_of_four(right.x, samples.z) + sad_of_four(right.y, samples.w);
  return sum;
}

// The best vector so far.
typedef struct best_vector {
  int2 vector;
  int least, difference;  // its SAD, with and without its bits
} best_vector;

static int2 first_candidate(local const group_memory *m, const macroblock_place *at, int2 predictor, int2 of_partition,
                            int i) {
  int2 vector = predictor;
  if (i == 1) vector = of_partition;
  if (i == 2) vector = (int2)(0, 0);
  if (i == 3 && at->column > 0) vector = vector_of(m->vectors, at->number - 1);
  if (i == 4 && at->row > 0) vector = vector_of(m->vectors, at->number - 4);
  if (i == 5 && at->row > 0 && at->column + 1 < at->columns) vector = vector_of(m->vectors, at->number - 3);
  return vector;
}
// One of the eight at a distance.
static int2 later_candidate(int2 around, int distance, int i) {
  const int place = i < 4 ? i : i + 1;
  return around + distance * (int2)(place % 3 - 1, place / 3 - 1);
}

// Adds up the SADs of rows, and the bits of vectors. Candidates that equal an earlier one change nothing, as they are
// not better.
static void find_total(local group_memory *m, const decision_input *in, int2 vector, int2 predictor, int i,
                       bool is_predictor) {
  local const int *sads = sads_of(m);
  int sum = 0;
  for (int row = 0; row < 16; ++row) sum += sads[16 * i + row];
  const int2 difference = vector - predictor;
  int with_bits = sum;
  if (!is_predictor)
    with_bits = is_codable(difference)
                    ? sum + (int)((long)vector_cost(in->costs, false, difference) * in->bit_cost >> 10)
                    : INT_MAX;
  m->totals[i] = sum;
  m->with_bits[i] = with_bits;
}
static void take_vector(best_vector *best, local const group_memory *m, int2 vector, int i) {
  if (m->with_bits[i] >= best->least) return;
  best->least = m->with_bits[i];
  best->difference = m->totals[i];
  best->vector = vector;
}

// Tries the eight vectors around the best one. All items call this together.
static void refine_vector(local group_memory *m, const decision_input *in, int2 predictor, int distance, int item,
                          best_vector *best) {
  const int2 around = best->vector;
  for (int n = item; n < CANDIDATES * 16; n += DECIDE_ITEMS)
    sads_of(m)[n] = sad_of_row(m, in->planes, later_candidate(around, distance, n / 16), n & 15);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < CANDIDATES) find_total(m, in, later_candidate(around, distance, item), predictor, item, false);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < CANDIDATES; ++i) take_vector(best, m, later_candidate(around, distance, i), i);
}

// Finds the vector of a macroblock. All items call this together after a barrier, and have the same result.
static void search_vector(local group_memory *m, const macroblock_place *at, const decision_input *in, int2 predictor,
                          int2 of_partition, int item, best_vector *best) {
  for (int n = item; n < 6 * 16; n += DECIDE_ITEMS)
    sads_of(m)[n] = sad_of_row(m, in->planes, first_candidate(m, at, predictor, of_partition, n / 16), n & 15);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 6)
    find_total(m, in, first_candidate(m, at, predictor, of_partition, item), predictor, item, item == 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  best->vector = predictor;
  best->least = INT_MAX;
  for (int i = 0; i < 6; ++i) take_vector(best, m, first_candidate(m, at, predictor, of_partition, i), i);
  for (int distance = 2; distance > 0; --distance) refine_vector(m, in, predictor, distance, item, best);
}
