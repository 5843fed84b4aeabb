// transform_decide.cl — mode decision and reconstruction of the macroblocks of transform tiles, as in
// codec/compact/encode/macroblock_decision.cpp with MacroblockEffort::usual: for each macroblock the vector, the mode
// and the levels with the least D + lambda R, given those before it. D is that of the samples; fit_samples
// (transform_fit.cl) makes blocks of them afterwards.
//   defines      CHANNEL=1; ACROSS, DOWN: pixels for one texel of Co and Cg, 1 or 2; DECIDE_ITEMS: 32, 64 or 128;
//            GROUP_BYTES: of local memory, at least the size of group_memory; DECIDE_GROUP: empty if an option of
//            NVIDIA's compiler limits the registers, as it ignores that option for kernels with a fixed group size
//
// decide_transform:
//   work-group   DECIDE_ITEMS items for each tile; global = tiles times DECIDE_ITEMS
//   local mem    m: GROUP_BYTES. PoCL 3.1 confuses pointers to parts of local memory that a kernel declares itself
//   in   components   texcast_lossy_component[3]; tiles: from `first` on, with vectors and lambda weights
//        texels       uchar16[sub-blocks]: the texels that the tiles approximate
//        planes       the samples of the reference frame in padded planes (transform_planes.cl)
//        all_costs    ushort[range][component][TEXCAST_TRANSFORM_CONTEXTS][16], 1/32 bits
//   out  samples      of the tiles, in the layout of transform_samples.cl
//        macroblocks  texcast_macroblock[tile][TEXCAST_MACROBLOCKS]; those outside of the picture are 0
//        all_levels   short[tile][macroblock][TEXCAST_TRANSFORM_BLOCKS][TEXCAST_COEFFICIENTS]: of the blocks with
//                     coefficients
//   both all_trials   trial_row[tile][INTRA_MODES][BLOCKS][8]: memory for the intra trials of a macroblock
//   exactness    integer; equals the CPU's result on every device
#include "compact/transform_predict.cl"

// 32 sqrt(lambda / 48), to the nearest integer r: the largest one with 12 r^2 - 12 r + 3 <= 256 lambda.
static int bit_cost_of(int lambda) {
  const long limit = 256L * lambda;
  long cost = (long)sqrt((float)lambda * (64.0f / 3.0f));
  while (cost > 0 && 12 * cost * cost - 12 * cost + 3 > limit) --cost;
  while (12 * cost * cost + 12 * cost + 3 <= limit) ++cost;
  return (int)cost;
}

// The bits of everything of a macroblock but its levels (compact::put_macroblock()).
static int header_cost(local const group_memory *m, const macroblock_place *at, global const ushort *costs, int mode,
                       int coded, int2 from_predictor) {
  const int left = at->column > 0 ? m->classes[(at->number + 7) & 7] : 0;
  const int above = at->row > 0 ? m->classes[(at->number + 4) & 7] : 0;
  int bits = symbol_cost(costs, mode_context(at->is_intra_slice, left, above), mode);
  if (mode == MACROBLOCK_SKIP) return bits;
  if (mode == MACROBLOCK_INTER_CODED) bits += vector_cost(costs, false, from_predictor);
  const bool intra = mode >= MACROBLOCK_INTRA_DC;
  for (int c = 0; c < COMPONENTS; ++c) {
    if (m->parts[c].columns == 0 || m->parts[c].rows == 0) continue;
    int context = coded_chroma_context(intra, (uint)coded, c);
    if (c == 0)
      context = coded_luma_context(intra, (at->column > 0 ? m->has_luma[(at->number + 7) & 7] : 0) +
                                              (at->row > 0 ? m->has_luma[(at->number + 4) & 7] : 0));
    bits += symbol_cost(costs + c * TEXCAST_TRANSFORM_CONTEXTS * 16, context, coded >> 4 * c & 15);
  }
  return bits;
}

// Adds the transform blocks of a pass to a trial's score: those in the slots from `first` on, `step` apart.
static void add_blocks(local group_memory *m, const pass_state *pass, int trial, int first, int step) {
  local trial_memory *t = m->trials + trial;
  for (int slot = first; slot < (step == 1 ? first + BLOCKS : SLOTS); slot += step) {
    slot_place s;
    if (!find_slot(m, pass, slot, &s)) continue;
    t->score += m->scores[slot];
    t->coded |= (int)m->coded[slot] << number_of(s.block);
  }
}
// The score of an inter trial at the end. `may_skip`: without coefficients it may be skipped.
static void conclude_inter(local group_memory *m, const macroblock_place *at, const pass_state *pass,
                           global const ushort *costs, int2 predictor, int trial, bool may_skip) {
  local trial_memory *t = m->trials + trial;
  const int2 from_predictor = vector_of(t->vector, 0) - predictor;
  add_blocks(m, pass, trial, trial * BLOCKS, 1);
  t->score += (long)at->lambda * header_cost(m, at, costs, t->mode, t->coded, from_predictor);
  if (!may_skip) return;
  long uncoded = (long)at->lambda * header_cost(m, at, costs, MACROBLOCK_SKIP, 0, from_predictor);
  for (int block = 0; block < BLOCKS; ++block)
    if (has_block(m, block)) uncoded += m->uncoded_scores[trial * BLOCKS + block];
  if (uncoded > t->score) return;
  t->score = uncoded;
  t->coded = 0;
  t->mode = MACROBLOCK_SKIP;
}
// Adds a pass to the score of an intra trial.
static void conclude_intra(local group_memory *m, const macroblock_place *at, const pass_state *pass,
                           global const ushort *costs, int mode) {
  local trial_memory *t = m->trials + FIRST_INTRA + mode;
  add_blocks(m, pass, FIRST_INTRA + mode, mode, INTRA_MODES);
  if (pass->number == INTER_PASS - 1)
    t->score += (long)at->lambda * header_cost(m, at, costs, t->mode, t->coded, (int2)(0, 0));
}

// Prepares the trials. Those that are not tried have the highest score.
static void prepare_trials(local group_memory *m, const macroblock_place *at, int2 vector, int2 predictor,
                           bool tries_intra, int item) {
  for (int trial = item; trial < TRIALS; trial += DECIDE_ITEMS) {
    const bool is_intra = trial >= FIRST_INTRA;
    const int2 mine = trial == 0 ? vector : predictor;
    const bool is_predicted = is_same(mine, predictor);
    const bool is_tried = is_intra ? tries_intra : !at->is_intra_slice && (trial == 0 || !is_same(vector, predictor));
    m->trials[trial].score = is_tried ? 0 : LONG_MAX;
    m->trials[trial].vector[0] = mine.x;
    m->trials[trial].vector[1] = mine.y;
    m->trials[trial].coded = 0;
    m->trials[trial].mode = is_intra       ? MACROBLOCK_INTRA_DC + trial - FIRST_INTRA
                            : is_predicted ? MACROBLOCK_INTER
                                           : MACROBLOCK_INTER_CODED;
  }
}

// Keeps the results of an intra pass: the slots are used again.
static void keep_intra_rows(local group_memory *m, const pass_state *pass, global trial_row *rows, int item) {
  for (int n = item; n < SLOTS * 8; n += DECIDE_ITEMS) {
    const int slot = n / 8, row = n & 7;
    slot_place s;
    if (!find_slot(m, pass, slot, &s)) continue;
    const uint2 samples = row_of_samples(m, slot, row, m->coded[slot] != 0);
    keep_inner_edge(m, &s, row, samples);
    global trial_row *to = rows + ((s.trial - FIRST_INTRA) * BLOCKS + s.block) * 8 + row;
    to->samples = samples;
    if (m->coded[slot] != 0) to->levels = m->levels[slot].rows[row];
  }
}

// Runs all trials. All items call this together after a barrier. Returns the best trial. If it is an inter trial, the
// slots have its samples and levels, and otherwise `rows` has them.
static int try_macroblock(local group_memory *m, const macroblock_place *at, const decision_input *in,
                          const quantiser_state *q, int2 predictor, const best_vector *best,
                          global trial_row *rows, int item) {
  const bool tries_intra = at->is_intra_slice || m->intra_difference < best->difference;
  pass_state pass = {0, !is_same(best->vector, predictor)};
  prepare_trials(m, at, best->vector, predictor, tries_intra, item);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (pass.number = tries_intra ? 0 : INTER_PASS; pass.number < (at->is_intra_slice ? INTER_PASS : PASSES);
       ++pass.number) {
    predict_slots(m, &pass, in->planes, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    code_slots(m, &pass, in->costs, q, at->lambda, item);
    if (is_intra_pass(&pass)) {
      keep_intra_rows(m, &pass, rows, item);
      if (item < INTRA_MODES) conclude_intra(m, at, &pass, in->costs, item);
    } else if (item < (pass.has_both ? 2 : 1)) {
      conclude_inter(m, at, &pass, in->costs, predictor, item, item == 1 || !pass.has_both);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  int chosen = at->is_intra_slice ? FIRST_INTRA : 0;
  for (int trial = 0; trial < TRIALS; ++trial)
    if (m->trials[trial].score < m->trials[chosen].score) chosen = trial;
  return chosen;
}

// A row of samples of the best trial.
static uint2 chosen_row(local const group_memory *m, global const trial_row *rows, int trial, int block,
                        int row) {
  if (trial < FIRST_INTRA)
    return row_of_samples(m, trial * BLOCKS + block, row, (m->trials[trial].coded >> number_of(block) & 1) != 0);
  return rows[((trial - FIRST_INTRA) * BLOCKS + block) * 8 + row].samples;
}
// Writes the samples of the best trial, and keeps those that the next macroblocks are predicted from.
static void keep_samples(local group_memory *m, global const trial_row *rows, int trial, global uint *samples,
                         int item) {
  for (int n = item; n < BLOCKS * 4; n += DECIDE_ITEMS) {
    const int block = n / 4, number = n & 3, component = component_of(block);
    if (!has_part(m, block, number)) continue;
    local const plane_view *v = m->views + component;
    local const plane_part *part = m->parts + component;
    uint of_rows[4];
    for (int j = 0; j < 4; ++j) {
      const uint2 row = chosen_row(m, rows, trial, block, (number >> 1) * 4 + j);
      of_rows[j] = (number & 1) != 0 ? row.y : row.x;
    }
    const uint4 of_block = (uint4)(of_rows[0], of_rows[1], of_rows[2], of_rows[3]);
    const int x = 2 * column_of(block) + (number & 1), y = 2 * row_of(block) + (number >> 1);
    store_samples(samples + v->samples, v->blocks_x, part->x + x, part->y + y, of_block);
    if (x == part->columns - 1) vstore4(convert_uchar4(of_block >> 24), 0, m->left[component] + 4 * y);
    if (y == part->rows - 1) vstore4(as_uchar4(of_block.w), 0, m->above[component] + 4 * (part->x - v->x + x));
  }
}
static void keep_levels(local const group_memory *m, global const trial_row *rows, int trial,
                        global short8 *levels, int item) {
  for (int n = item; n < BLOCKS * 8; n += DECIDE_ITEMS) {
    const int block = n / 8, row = n & 7;
    if ((m->trials[trial].coded >> number_of(block) & 1) == 0) continue;
    short8 of_row = m->levels[trial < FIRST_INTRA ? trial * BLOCKS + block : 0].rows[row];
    if (trial >= FIRST_INTRA) of_row = rows[((trial - FIRST_INTRA) * BLOCKS + block) * 8 + row].levels;
    levels[number_of(block) * 8 + row] = of_row;
  }
}
static void keep_macroblock(local group_memory *m, const macroblock_place *at, int trial,
                            global texcast_macroblock *macroblock) {
  local const trial_memory *t = m->trials + trial;
  macroblock->mode = t->mode;
  macroblock->coded = (uint)t->coded;
  macroblock->vector[0] = m->vectors[2 * at->number] = t->vector[0];
  macroblock->vector[1] = m->vectors[2 * at->number + 1] = t->vector[1];
  m->classes[at->number] = (uchar)mode_class(t->mode);
  m->has_luma[at->number] = (t->coded & 15) != 0 ? 1 : 0;
}

static void begin_macroblock(local group_memory *m, const macroblock_place *at, const decision_input *in, int item) {
  if (item < COMPONENTS) find_part(m, item, at);
  if (item < 4) m->sums[item] = 0;
  if (item == 0) m->intra_difference = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  load_source(m, in->texels, item);
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void begin_tile(local group_memory *m, global const texcast_lossy_component *components, int tile, int item) {
  if (item < COMPONENTS) find_view(m->views + item, components, item, tile);
  for (int slot = item; slot < SLOTS; slot += DECIDE_ITEMS) reset_slot(m, slot);
  barrier(CLK_LOCAL_MEM_FENCE);
}

#ifndef DECIDE_GROUP
#define DECIDE_GROUP __attribute__((reqd_work_group_size(DECIDE_ITEMS, 1, 1)))
#endif
kernel DECIDE_GROUP
void decide_transform(global const texcast_lossy_component *components, global const texcast_lossy_tile *tiles,
                      int first, global const uint4 *texels, global const uint *planes,
                      global const ushort *all_costs, global uint *samples, global texcast_macroblock *macroblocks,
                      global short8 *all_levels, global trial_row *all_trials, local group_memory *m) {
  const int item = (int)get_local_id(0), slot = (int)get_group_id(0);
  global const texcast_lossy_tile *tile = tiles + first + slot;
  const int quantiser = tile->transform_quantiser, range = TEXCAST_TRANSFORM_RANGE(quantiser);
  const decision_input in = {texels, planes, all_costs + range * COMPONENTS * TEXCAST_TRANSFORM_CONTEXTS * 16,
                             bit_cost_of(tile->transform_lambda)};
  quantiser_state q;
  find_quantiser(&q, quantiser);
  begin_tile(m, components, tile->tile, item);
  macroblock_place at;
  at.is_intra_slice = tile->intra != 0;
  at.columns = (m->views[0].columns + 3) / 4;
  at.rows = (m->views[0].rows + 3) / 4;
  macroblocks += slot * TEXCAST_MACROBLOCKS;
  all_trials += (long)slot * INTRA_MODES * BLOCKS * 8;
  all_levels += (long)slot * TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * 8;
  if (item < TEXCAST_MACROBLOCKS && ((item & 3) >= at.columns || item / 4 >= at.rows)) {
    macroblocks[item].mode = macroblocks[item].vector[0] = macroblocks[item].vector[1] = 0;
    macroblocks[item].coded = 0;
  }
  // One loop, as PoCL 3.1 confuses nested ones.
  const int count = at.rows * at.columns;
  for (int i = 0; i < count; ++i) {
    at.row = i / at.columns;
    at.column = i - at.row * at.columns;
    at.number = at.row * 4 + at.column;
    at.lambda = tile->transform_lambda;
    if (!at.is_intra_slice) at.lambda = at.lambda * tile->lambda_weights[at.number] / 16;
    begin_macroblock(m, &at, &in, item);
    const int2 predictor = predicted_vector(m, &at);
    best_vector best = {predictor, 0, 0};
    // A loop instead of a condition, as PoCL 3.1 confuses barriers in these.
    for (int searches = at.is_intra_slice ? 0 : 1; searches > 0; --searches) {
      measure_source(m, item);
      search_vector(m, &at, &in, predictor,
                    2 * (int2)(tile->vectors[2 * at.number], tile->vectors[2 * at.number + 1]), item, &best);
    }
    const int trial = try_macroblock(m, &at, &in, &q, predictor, &best, all_trials, item);
    keep_samples(m, all_trials, trial, samples, item);
    keep_levels(m, all_trials, trial, all_levels + at.number * TEXCAST_TRANSFORM_BLOCKS * 8, item);
    if (item == 0) keep_macroblock(m, &at, trial, macroblocks + at.number);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
