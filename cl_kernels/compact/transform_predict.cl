// transform_predict.cl — predictions of transform blocks: inter from the padded planes of the reference frame
// (transform_planes.cl), and intra from the texels around the block.
#include "compact/transform_search.cl"
#include "compact/transform_trials.cl"

// Four texels of Co or Cg at a vector, from column x and row y of the plane on.
static int4 filtered_across(int8 taps, global const uint *plane, local const plane_view *v, int x, int y) {
  const int columns = v->blocks_x + 4, at = x + 8 - TAPS_BEFORE, number = at >> 2, shift = 8 * (at & 3);
  global const uint *row = plane + clamp(y + 4, 0, 4 * v->blocks_y + 7) * columns;
  const ulong low = row[clamp(number, 0, columns - 1)], middle = row[clamp(number + 1, 0, columns - 1)];
  const ulong high = row[clamp(number + 2, 0, columns - 1)];
  const int4 a = texels_of_row((uint)((middle << 32 | low) >> shift));
  const int4 b = texels_of_row((uint)((high << 32 | middle) >> shift));
  const int c = (int)((uint)high >> shift & 255);
  return taps.s0 * a + taps.s1 * (int4)(a.yzw, b.x) + taps.s2 * (int4)(a.zw, b.xy) + taps.s3 * (int4)(a.w, b.xyz) +
         taps.s4 * b + taps.s5 * (int4)(b.yzw, c);
}
static uint chroma_texels(global const uint *plane, local const plane_view *v, int4 vector, int x, int y) {
  const int8 across = taps_of(ACROSS == 2, vector.z), down = taps_of(DOWN == 2, vector.w);
  const int column = x + vector.x, row = y + vector.y;
  // All rows are read at once, whether their taps are 0 or not. The outer taps of subsampled components are 0.
  int4 sum = down.s1 * filtered_across(across, plane, v, column, row - 1) +
             down.s2 * filtered_across(across, plane, v, column, row) +
             down.s3 * filtered_across(across, plane, v, column, row + 1) +
             down.s4 * filtered_across(across, plane, v, column, row + 2) + 512;
#if DOWN == 1
  sum += down.s0 * filtered_across(across, plane, v, column, row - 2) +
         down.s5 * filtered_across(across, plane, v, column, row + 3);
#endif
  return packed_row(max(min(sum >> 10, (int4)(255)), (int4)(0)));
}

// The inter prediction of four texels of a slot. `number`: which of the 16 in the transform block.
static uint inter_texels(local const group_memory *m, global const uint *planes, int slot, int number) {
  const int block = m->slot_block[slot], component = component_of(block);
  local const plane_view *v = m->views + component;
  local const plane_part *part = m->parts + component;
  const int2 vector = vector_of(m->trials[m->slot_trial[slot]].vector, 0);
  const int x = 4 * part->x + 8 * column_of(block) + 4 * (number & 1), y = 4 * part->y + 8 * row_of(block) + (number >> 1);
  if (component == 0) {
    const int half_x = 2 * x + vector.x, half_y = 2 * y + vector.y;
    return four_in_plane(luma_plane(planes, v, half_x, half_y), v, half_x >> 1, half_y >> 1);
  }
  return chroma_texels(planes + v->plane, v, texel_vector(vector, ACROSS, DOWN), x, y);
}

// The texels on the left of a block and above it, in an intra trial. Texels beyond the tile repeat the last one.
typedef struct intra_edges {
  uint2 left, above;
  bool has_left, has_above;
} intra_edges;
static void find_edges(local const group_memory *m, int mode, int block, intra_edges *e) {
  const int component = component_of(block);
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
static uint intra_texels(local const group_memory *m, int slot, int number) {
  const int trial = m->slot_trial[slot] - FIRST_INTRA, mode = MACROBLOCK_INTRA_DC + trial;
  intra_edges e;
  find_edges(m, trial, m->slot_block[slot], &e);
  const int mean = intra_mean(e.left, e.above, e.has_left, e.has_above);
  uint texels = 0;
  for (int i = 0; i < 4; ++i)
    texels |= (uint)intra_texel(mode, 4 * (number & 1) + i, number >> 1, e.left, e.above, e.has_left, e.has_above,
                                mean) << 8 * i;
  return texels;
}

// Predicts all slots. All items call this together after a barrier.
static void predict_slots(local group_memory *m, global const uint *planes, int item) {
  for (int n = item; n < SLOTS * 16; n += DECIDE_ITEMS) {
    const int slot = n / 16, number = n & 15;
    if (!is_used(m, slot)) continue;
    uint texels = 0;
    if (is_intra_slot(m, slot))
      texels = intra_texels(m, slot, number);
    else
      texels = inter_texels(m, planes, slot, number);
    m->prediction[slot][number] = texels;
  }
}

// Keeps the texels that later blocks of the same intra trials are predicted from. All items call this together.
static void keep_inner_edges(local group_memory *m, int item) {
  for (int n = item; n < SLOTS * 4; n += DECIDE_ITEMS) {
    const int slot = n / 4, number = n & 3;
    if (!is_used(m, slot) || !has_part(m, m->slot_block[slot], number)) continue;
    const int block = m->slot_block[slot], component = component_of(block), mode = m->slot_trial[slot] - FIRST_INTRA;
    const bool is_right = column_of(block) == 0 && (number & 1) != 0, is_lower = row_of(block) == 0 && number >= 2;
    if (!is_right && !is_lower) continue;
    const int result = result_of(m, slot);
    const uint4 texels = nearest_texels(m->fitted[result][m->coded[result]][number]);
    local uchar *left = m->inner_left[mode][component] + 8 * row_of(block) + 4 * (number >> 1);
    local uchar *above = m->inner_above[mode][component] + 8 * column_of(block) + 4 * (number & 1);
    if (is_right) vstore4(convert_uchar4(texels >> 24), 0, left);
    if (is_lower) vstore4(as_uchar4(texels.w), 0, above);
  }
}
