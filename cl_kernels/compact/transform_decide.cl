// transform_decide.cl — mode decision and reconstruction of the macroblocks of transform tiles, as in
// codec/compact/encode/macroblock_decision.cpp with MacroblockEffort::usual: for each macroblock the vector, the mode
// and the levels with the least D + lambda R, given those before it.
//   defines      CHANNEL=1; ACROSS, DOWN: pixels for one texel of Co and Cg, 1 or 2; DECIDE_ITEMS: 64 or 128;
//            GROUP_BYTES: of local memory, at least the size of group_memory; DECIDE_GROUP: empty if an option of
//            NVIDIA's compiler limits the registers, as it ignores that option for kernels with a fixed group size
//
// decide_transform:
//   work-group   DECIDE_ITEMS items for each tile; global = tiles times DECIDE_ITEMS
//   local mem    m: GROUP_BYTES. PoCL 3.1 confuses pointers to parts of local memory that a kernel declares itself
//   in   components   texcast_lossy_component[3]; tiles: from `first` on, with vectors and lambda weights
//        texels       uchar16[sub-blocks]: the texels that the tiles approximate
//        planes       the reference frame in planes (transform_planes.cl); reference: its texture
//        all_costs    ushort[range][component][TEXCAST_TRANSFORM_CONTEXTS][16], 1/32 bits
//   out  texture      ulong[sub-blocks]: the reconstruction
//        macroblocks  texcast_macroblock[tile][TEXCAST_MACROBLOCKS]; those outside of the picture are 0
//        all_levels   short[tile][macroblock][TEXCAST_TRANSFORM_BLOCKS][TEXCAST_COEFFICIENTS]: of the blocks with
//                     coefficients
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

// The transform blocks of each component that need no texel of each other in intra modes, 4 bits each: the first one;
// then the one on its right and the one below; then the last one.
#if CHROMA_BLOCKS == 1
#define STEPS ((int3)(0x540, 0x21, 0x3))
#define STEP_BLOCKS ((int3)(3, 2, 1))
#elif CHROMA_BLOCKS == 2
#define STEPS ((int3)(0x640, 0x7521, 0x3))
#define STEP_BLOCKS ((int3)(3, 4, 1))
#else
#define STEPS ((int3)(0x840, 0xA96521, 0xB73))
#define STEP_BLOCKS ((int3)(3, 6, 3))
#endif

// Prepares the slots of a pass: 0 for both inter trials, and 1 to 3 for the steps of the intra trials.
static void prepare_slots(local group_memory *m, int pass, bool has_both, int item) {
  const int3 steps = STEPS, counts = STEP_BLOCKS;
  const int count = pass == 0 ? BLOCKS : pass == 1 ? counts.x : pass == 2 ? counts.y : counts.z;
  const int step = pass == 1 ? steps.x : pass == 2 ? steps.y : steps.z;
  if (item == 0) m->jobs = 0;
  for (int slot = item; slot < SLOTS; slot += DECIDE_ITEMS) {
    const int trial = slot / count, place = slot - trial * count;
    const int block = pass == 0 ? place : step >> 4 * place & 15;
    const bool is_used = has_block(m, block) && (pass == 0 ? trial == 0 || has_both : trial < TRIALS - FIRST_INTRA);
    m->slot_trial[slot] = (uchar)(!is_used ? NOBODY : pass == 0 ? trial : FIRST_INTRA + trial);
    m->slot_block[slot] = (uchar)block;
    m->before[slot] = m->after[slot] = m->bits[slot] = 0;
    m->last[slot] = -1;
  }
}

// The score of a trial. `may_skip`: without coefficients it may be skipped.
static void conclude_trial(local group_memory *m, const macroblock_place *at, global const ushort *costs,
                           int2 predictor, int trial, bool may_skip) {
  local trial_memory *t = m->trials + trial;
  const int2 from_predictor = vector_of(t->vector, 0) - predictor;
  long score = 0, uncoded = 0;
  int coded = 0;
  for (int block = 0; block < BLOCKS; ++block) {
    if (!has_block(m, block)) continue;
    score += m->scores[trial * BLOCKS + block];
    coded |= (int)m->coded[trial * BLOCKS + block] << number_of(block);
    if (!may_skip) continue;
    const long of_block = m->uncoded_scores[trial * BLOCKS + block];
    may_skip = of_block != LONG_MAX;
    if (may_skip) uncoded += of_block;
  }
  score += (long)at->lambda * header_cost(m, at, costs, t->mode, coded, from_predictor);
  if (may_skip) {
    uncoded += (long)at->lambda * header_cost(m, at, costs, MACROBLOCK_SKIP, 0, from_predictor);
    if (uncoded <= score) {
      score = uncoded;
      coded = 0;
      t->mode = MACROBLOCK_SKIP;
    }
  }
  t->score = score;
  t->coded = coded;
}

static void prepare_trials(local group_memory *m, int2 vector, int2 predictor, int item) {
  for (int trial = item; trial < TRIALS; trial += DECIDE_ITEMS) {
    const int2 mine = trial == 0 ? vector : predictor;
    const bool is_predicted = mine.x == predictor.x && mine.y == predictor.y;
    m->trials[trial].score = LONG_MAX;
    m->trials[trial].vector[0] = mine.x;
    m->trials[trial].vector[1] = mine.y;
    m->trials[trial].coded = 0;
    m->trials[trial].mode = trial >= FIRST_INTRA ? MACROBLOCK_INTRA_DC + trial - FIRST_INTRA
                            : is_predicted       ? MACROBLOCK_INTER
                                                 : MACROBLOCK_INTER_CODED;
  }
}

// Runs all trials. All items call this together after a barrier. Returns the best trial.
static int try_macroblock(local group_memory *m, const macroblock_place *at, const decision_input *in,
                          const quantiser_state *q, int2 predictor, const best_vector *best, int item) {
  const bool has_both = best->vector.x != predictor.x || best->vector.y != predictor.y;
  const bool tries_intra = at->is_intra_slice || m->intra_difference < best->difference;
  prepare_trials(m, best->vector, predictor, item);
  const int end = tries_intra ? 4 : 1;
  for (int pass = at->is_intra_slice ? 1 : 0; pass < end; ++pass) {
    prepare_slots(m, pass, has_both, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    predict_slots(m, in->planes, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    code_slots(m, q, at->lambda, item);
    if (pass == 0 && item < (has_both ? 2 : 1))
      conclude_trial(m, at, in->costs, predictor, item, item == 1 || !has_both);
    if (pass > 0) keep_inner_edges(m, item);
    if (pass == 3 && item < TRIALS - FIRST_INTRA)
      conclude_trial(m, at, in->costs, predictor, FIRST_INTRA + item, false);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  int chosen = at->is_intra_slice ? FIRST_INTRA : 0;
  for (int trial = 0; trial < TRIALS; ++trial)
    if (m->trials[trial].score < m->trials[chosen].score) chosen = trial;
  return chosen;
}

// Writes the sub-blocks of the best trial, and keeps the texels that the next macroblocks are predicted from.
static void keep_texture(local group_memory *m, const decision_input *in, int trial, global ulong *texture, int item) {
  for (int n = item; n < BLOCKS * 4; n += DECIDE_ITEMS) {
    const int block = n / 4, number = n & 3, component = component_of(block);
    if (!has_part(m, block, number)) continue;
    local const plane_view *v = m->views + component;
    local const plane_part *part = m->parts + component;
    const int x = 2 * column_of(block) + (number & 1), y = 2 * row_of(block) + (number >> 1);
    const int coded = m->trials[trial].coded >> number_of(block) & 1;
    const int position = v->first + (part->y + y) * v->blocks_x + part->x + x;
    ulong sub_block = m->fitted[trial * BLOCKS + block][coded][number];
    if (coded == 0 && trial < FIRST_INTRA && is_exact_copy(m, trial, block)) {
      const int4 vector = vector_in_block(m, trial, block);
      sub_block = in->reference[position + (vector.y >> 2) * v->blocks_x + (vector.x >> 2)];
    }
    texture[position] = sub_block;
    const bool is_right = x == part->columns - 1, is_lower = y == part->rows - 1;
    if (!is_right && !is_lower) continue;
    const uint4 texels = nearest_texels(sub_block);
    if (is_right) vstore4(convert_uchar4(texels >> 24), 0, m->left[component] + 4 * y);
    if (is_lower) vstore4(as_uchar4(texels.w), 0, m->above[component] + 4 * (part->x - v->x + x));
  }
}
static void keep_levels(local const group_memory *m, int trial, global short *levels, int item) {
  for (int n = item; n < BLOCKS * 8; n += DECIDE_ITEMS) {
    const int block = n / 8, row = n & 7;
    if ((m->trials[trial].coded >> number_of(block) & 1) != 0)
      vstore8(vload8(row, m->levels[trial * BLOCKS + block]), row,
              levels + number_of(block) * TEXCAST_COEFFICIENTS);
  }
}
static void keep_macroblock(local group_memory *m, const macroblock_place *at, int trial,
                            global texcast_macroblock *macroblock) {
  local const trial_memory *t = m->trials + trial;
  macroblock->mode = t->mode;
  macroblock->coded = (uint)t->coded;
  macroblock->vector[0] = m->vectors[2 * at->number] = t->vector[0];
  macroblock->vector[1] = m->vectors[2 * at->number + 1] = t->vector[1];
  m->classes[at->number] = mode_class(t->mode);
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

static void begin_tile(local group_memory *m, global const texcast_lossy_component *components, int tile,
                       global const ushort *costs, int item) {
  if (item < COMPONENTS) find_view(m->views + item, components, item, tile);
  for (int n = item; n < 2 * LEVEL_CONTEXTS * 16; n += DECIDE_ITEMS) {
    const int component = n / (LEVEL_CONTEXTS * 16), at = n - component * LEVEL_CONTEXTS * 16;
    m->costs[component][at] = costs[(component * TEXCAST_TRANSFORM_CONTEXTS + TEXCAST_LAST_CONTEXT) * 16 + at];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

#ifndef DECIDE_GROUP
#define DECIDE_GROUP __attribute__((reqd_work_group_size(DECIDE_ITEMS, 1, 1)))
#endif
kernel DECIDE_GROUP
void decide_transform(global const texcast_lossy_component *components, global const texcast_lossy_tile *tiles,
                      int first, global const uint4 *texels, global const uint *planes, global const ulong *reference,
                      global const ushort *all_costs, global ulong *texture, global texcast_macroblock *macroblocks,
                      global short *all_levels, local group_memory *m) {
  const int item = (int)get_local_id(0), slot = (int)get_group_id(0);
  global const texcast_lossy_tile *tile = tiles + first + slot;
  const int quantiser = tile->transform_quantiser, range = TEXCAST_TRANSFORM_RANGE(quantiser);
  const decision_input in = {texels, planes, reference,
                             all_costs + range * COMPONENTS * TEXCAST_TRANSFORM_CONTEXTS * 16,
                             bit_cost_of(tile->transform_lambda)};
  quantiser_state q;
  find_quantiser(&q, quantiser);
  begin_tile(m, components, tile->tile, in.costs, item);
  macroblock_place at;
  at.is_intra_slice = tile->intra != 0;
  at.columns = (m->views[0].columns + 3) / 4;
  at.rows = (m->views[0].rows + 3) / 4;
  macroblocks += slot * TEXCAST_MACROBLOCKS;
  all_levels += (long)slot * TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS;
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
    const int trial = try_macroblock(m, &at, &in, &q, predictor, &best, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    keep_texture(m, &in, trial, texture, item);
    keep_levels(m, trial, all_levels + at.number * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS, item);
    if (item == 0) keep_macroblock(m, &at, trial, macroblocks + at.number);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
