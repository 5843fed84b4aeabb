// reconstruct.cl — reconstructs the sub-blocks of parsed slices, as codec/compact/decode/slice_decoder.cpp does.
//   defines      CHANNEL=1
//
// reconstruct: reconstructs the sub-blocks of a component.
//   work-group   tile_columns times tile_rows items for each part: its sub-blocks, row by row
//   in   reference        the reference frame; parts, symbols: from parse_slices
//        valid            uchar[tile]: not 0: the tile of the reference frame is valid
//        has_reference    0: there is no reference frame, and all slices are intra
//   out  reconstruction   ulong[sub-blocks]: those of valid slices
//        results          further flags
#include "compact/decoded_part.cl"

// The prediction block at (x, y) in half texels, a byte for each texel, by bilinear interpolation: the mean of two
// texels is rounded up, that of four to the nearest. Texels at the edge are repeated outside.
static uint4 pixels_at(global const ulong *reference, const texcast_component *c, int x, int y) {
  const int right = x & 1, down = y & 1, last_x = c->blocks_x * 4 - 1, last_y = c->blocks_y * 4 - 1;
  x >>= 1;
  y >>= 1;
  const int x0 = clamp(x, 0, last_x) >> 2, x1 = clamp(x + 3 + right, 0, last_x) >> 2;
  const int y0 = clamp(y, 0, last_y) >> 2, y1 = clamp(y + 3 + down, 0, last_y) >> 2;
  const ulong h00 = reference[position_of(c, x0, y0)], h10 = reference[position_of(c, x1, y0)];
  const ulong h01 = reference[position_of(c, x0, y1)], h11 = reference[position_of(c, x1, y1)];
  const palette p00 = palette_of(c->kind, h00), p10 = palette_of(c->kind, h10);
  const palette p01 = palette_of(c->kind, h01), p11 = palette_of(c->kind, h11);
  uint rows[4] = {0, 0, 0, 0}, previous_row[4] = {0, 0, 0, 0};
  for (int j = 0; j < 5; ++j) {
    const int ty = clamp(y + j, 0, last_y);
    const bool is_lower = ty >> 2 != y0;
    const palette of_left = is_lower ? p01 : p00, of_right = is_lower ? p11 : p10;
    const ulong on_left = indices_of(is_lower ? h01 : h00), on_right = indices_of(is_lower ? h11 : h10);
    uint texels[5];
    for (int i = 0; i < 5; ++i) {
      const int tx = clamp(x + i, 0, last_x);
      const bool is_right = tx >> 2 != x0;
      const uint index = index_at(is_right ? on_right : on_left, (ty & 3) * 4 + (tx & 3));
      texels[i] = shade(is_right ? of_right : of_left, index);
    }
    for (int i = 0; i < 4; ++i) {
      const uint here = right != 0 ? texels[i] + texels[i + 1] : 2 * texels[i];
      if (down == 0 && j < 4) rows[j] |= (here + 1) >> 1 << 8 * i;
      // The mean of four. If `right` is 0 it counts two texels twice, so that their mean is rounded up.
      if (down != 0 && j > 0) rows[j - 1] |= (previous_row[i] + here + 2) >> 2 << 8 * i;
      previous_row[i] = here;
    }
  }
  return (uint4)(rows[0], rows[1], rows[2], rows[3]);
}
static uint row_at(uint4 pixels, int row) {
  return row == 0 ? pixels.x : row == 1 ? pixels.y : row == 2 ? pixels.z : pixels.w;
}
static int pixel_at(uint4 pixels, int row, int column) { return (int)(row_at(pixels, row) >> 8 * column & 255); }

static uint fitted_ends(uint4 pixels) {
  int low = 255, high = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      const int pixel = pixel_at(pixels, j, i);
      low = min(low, pixel);
      high = max(high, pixel);
    }
  return (uint)high | (uint)low << 8;
}

// The inverse of rank_of() in syntax.cl.
static int level_of_rank(int rank, int nearest, bool beyond, int steps) {
  const int both = 2 * min(nearest, steps - nearest);  // so many levels have one as near on the other side
  if (rank > steps) return rank;
  if (rank > both) return nearest + (2 * nearest > steps ? both / 2 - rank : rank - both / 2);
  const int distance = (rank + 1) / 2;
  return nearest + (((rank & 1) != 0) == beyond ? distance : -distance);
}

// The level nearest to a position along the line. `position` is in eighths of a level, times the length of the line.
static int level_there(int position, int range, int steps) {
  int level = 0;
  for (int k = 0; k < 7; ++k) level += k < steps && position > (8 * k + 4) * range ? 1 : 0;
  return level;
}
// Indices by ranks, relative to the prediction block with residual carry. If all ranks are 0 they are the levels
// nearest to the prediction block.
static ulong indices_near(uint ends, uint4 pixels, uint2 ranks) {
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int steps = steps_of(full), first = (int)(ends & 255), axis = (int)(ends >> 8 & 255) - first;
  const int range = (int)abs(axis), scale = 8 * steps * (clamp(axis, 0, 1) - clamp(-axis, 0, 1));
  int carried[4] = {0, 0, 0, 0};
  ulong indices = 0;
  for (int j = 0; j < 4; ++j) {
    const uint of_row = (j < 2 ? ranks.x : ranks.y) >> 16 * (j & 1);
    int left = 0;
    for (int i = 0; i < 4; ++i) {
      const int position = scale * (pixel_at(pixels, j, i) - first);
      const int with_carry = position + 3 * (left + carried[i]) * range;
      const int nearest = level_there(with_carry, range, steps);
      const int level = level_of_rank((int)(of_row >> 4 * i & 15), nearest, with_carry > 8 * nearest * range, steps);
      left = carried[i] = min(level, steps) - level_there(position, range, steps);
      indices |= (ulong)index_of_level(level, full) << 3 * (4 * j + i);
    }
  }
  return indices;
}
static ulong indices_of_levels(uint2 levels, bool full) {
  ulong indices = 0;
  for (int i = 0; i < 16; ++i) indices |= (ulong)index_of_level(level_in(levels, i), full) << 3 * i;
  return indices;
}
// Indices by intra ranks.
static ulong intra_indices(uint ends, uint2 ranks) {
  const bool full = is_full(TEXCAST_CHANNEL, ends);
  const int steps = steps_of(full);
  int above[4] = {0, 0, 0, 0};
  ulong indices = 0;
  for (int j = 0; j < 4; ++j) {
    const uint of_row = (j < 2 ? ranks.x : ranks.y) >> 16 * (j & 1);
    int left = 0;
    for (int i = 0; i < 4; ++i) {
      const int predicted = predicted_intra_level(4 * j + i, left, above[i], steps);
      const int level = level_of_rank((int)(of_row >> 4 * i & 15), predicted, true, steps);
      left = above[i] = min(level, steps);
      indices |= (ulong)index_of_level(level, full) << 3 * (4 * j + i);
    }
  }
  return indices;
}

// Whether those sub-blocks lie in valid tiles that have the texels of the prediction block of sub-block (x, y) at vector
// v.
static bool are_pixels_valid(global const uchar *valid, const texcast_component *c, int x, int y, int2 v) {
  return are_valid(valid, c, x + (v.x >> 3), y + (v.y >> 3), x + ((((v.x + 1) >> 1) + 3) >> 2),
                   y + ((((v.y + 1) >> 1) + 3) >> 2));
}

// The sources of end points by mode, a hexadecimal digit for each mode.
enum { ENDS_OF_REFERENCE = 1, ENDS_OF_LEFT = 2, ENDS_OF_ABOVE = 4, ENDS_OF_RECENT = 8 };  // none: fitted
#define END_SOURCES 0x88880421421UL
// The dependency of a sub-block's end points. Bits 0 to 4: they come from the sub-block so many before it, or 0 from
// itself. WAITS_RECENT: from recent ones, and from bit 6 on from which of them. WAITS_PUSHES: they become recent ones
// themselves. From bit 12 on are two residuals.
#define WAITS_BACK 31u
#define WAITS_RECENT 32u
#define WAITS_RECENT_AT 6
#define WAITS_PUSHES 256u

static uint with_residuals(uint ends, uint symbols) {
  const int first = (int)(symbols << 10) >> 22, second = (int)symbols >> 22;
  return ((uint)((int)(ends & 255) + first) & 255) | ((uint)((int)(ends >> 8) + second) & 255) << 8;
}

// The group's memory. For each sub-block: its end points, their dependency, its indices, and how far before it the
// sub-block is from which it copies indices (0: it has its own).
typedef struct tile_memory {
  uint ends[TEXCAST_DECODE_ITEMS], waits[TEXCAST_DECODE_ITEMS], back[TEXCAST_DECODE_ITEMS];
  ulong indices[TEXCAST_DECODE_ITEMS];
  uint waiting[TEXCAST_DECODE_ITEMS / 32];  // sub-blocks with a dependency, a bit each
  uint flags;                               // TEXCAST_DECODED_…
} tile_memory;

// Computes the end points that depend on others, in coding order.
static void resolve_ends(local tile_memory *memory) {
  recent_ends recent;
  start_recent(&recent);
  for (int word = 0; word < TEXCAST_DECODE_ITEMS / 32; ++word) {
    for (uint waiting = memory->waiting[word]; waiting != 0; waiting &= waiting - 1) {
      const int i = 32 * word + bit_length(waiting & (~waiting + 1)) - 1;
      const uint waits = memory->waits[i];
      uint ends = memory->ends[i - (int)(waits & WAITS_BACK)];
      if ((waits & WAITS_RECENT) != 0) ends = recent_at(&recent, waits >> WAITS_RECENT_AT & 3) & END_MASK;
      ends = with_residuals(ends, waits);
      memory->ends[i] = ends;
      if ((waits & WAITS_PUSHES) != 0) push_recent(&recent, ends);
    }
  }
}

kernel void reconstruct(global const ulong *reference, global const texcast_decoded_component *components, int number,
                        global const texcast_decoded_part *parts, global const uint4 *symbols,
                        global const uchar *valid, int has_reference, global ulong *reconstruction,
                        volatile global uint *results) {
  local tile_memory memory;
  const texcast_component c = components[number].component;
  const int item = (int)get_local_id(0), row = item / c.tile_columns, column = item - row * c.tile_columns;
  global const texcast_decoded_part *part = parts + get_group_id(0);
  const part_rect p = rect_of_part(&c, part->tile, part->sub_slices, part->sub_slice);
  const bool is_there = part->is_valid != 0 && row < p.rows && column < p.columns;
  const bool intra = part->intra != 0;
  const int x = p.x0 + column, y = p.y0 + row, position = is_there ? position_of(&c, x, y) : 0;
  if (item < TEXCAST_DECODE_ITEMS / 32) memory.waiting[item] = 0;
  if (item == 0) memory.flags = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  // This part depends on the reference frame only.
  uint4 own_symbols = (uint4)(KIND_MOTION_COPY, 0, 0, 0), pixels = (uint4)(0, 0, 0, 0);
  ulong value = 0;  // the copied sub-block; for coded ones that of the reference frame at the vector
  uint ends = 0, waits = 0, flags = 0, back = 0;
  const uint to_left = column > 0 ? 1 : 0, to_above = row > 0 ? (uint)c.tile_columns : 0;
  bool is_waiting = false, is_fitted = false;
  if (is_there) {
    const int partition = partition_at(&c, column, row);
    if ((part->copied >> partition & 1) == 0) own_symbols = symbols[position];
    int2 v = (int2)(0, 0);
    if (!intra)
      v = (int2)(part->vectors[2 * partition] >> (c.across - 1), part->vectors[2 * partition + 1] >> (c.down - 1));
    const int kind = (int)(own_symbols.x & 15), ends_mode = (int)(own_symbols.x >> SYMBOLS_ENDS_AT & 15);
    int2 copied = (int2)(x, y);  // its position
    bool is_copy = kind == KIND_CO_LOCATED, has_pixels = kind == KIND_CODED && !intra;
    if (kind == KIND_HASH_COPY || kind == KIND_HASH_COPY_AGAIN) {
      copied += unpack_vector(own_symbols.y);
      is_copy = is_waiting = true;
      waits = WAITS_PUSHES;
    }
    if (kind == KIND_MOTION_COPY) {
      copied += (int2)(v.x >> 3, v.y >> 3);
      is_copy = ((v.x | v.y) & 7) == 0 && has_sub_block(&c, copied.x, copied.y);
      has_pixels = is_fitted = !is_copy;
    }
    if (has_pixels) {
      pixels = pixels_at(reference, &c, x * 8 + v.x, y * 8 + v.y);
      ends = fitted_ends(pixels);
      if (!are_pixels_valid(valid, &c, x, y, v)) flags |= TEXCAST_DECODED_INVALID_REFERENCE;
    }
    if (is_copy) {
      value = reference[position_of(&c, copied.x, copied.y)];
      ends = ends_of(value);
      if (!are_valid(valid, &c, copied.x, copied.y, copied.x, copied.y)) flags |= TEXCAST_DECODED_INVALID_REFERENCE;
    }
    if (kind == KIND_LEFT || kind == KIND_ABOVE) {
      is_waiting = true;
      waits = back = kind == KIND_LEFT ? 1 : (uint)c.tile_columns;
    }
    if (kind == KIND_CODED) {
      is_waiting = true;
      waits = WAITS_PUSHES | (own_symbols.x & ~0u << SYMBOLS_RESIDUAL_AT);
      if (has_pixels) {
        const int nearest_x = clamp(x + rounded_eighths(v.x), 0, c.blocks_x - 1);
        const int nearest_y = clamp(y + rounded_eighths(v.y), 0, c.blocks_y - 1);
        value = reference[position_of(&c, nearest_x, nearest_y)];
      }
      const uint source = (uint)(END_SOURCES >> 4 * ends_mode) & 15;
      ends = source == 0                         ? widened_ends(ends, components[number].least_range[part->quantiser])
             : (source & ENDS_OF_REFERENCE) != 0 ? ends_of(value)
                                                 : 0;
      if ((source & ENDS_OF_LEFT) != 0) waits |= to_left;
      if ((source & ENDS_OF_ABOVE) != 0) waits |= to_above;
      if ((source & ENDS_OF_RECENT) != 0) waits |= WAITS_RECENT | (uint)(ends_mode - ENDS_RECENT) << WAITS_RECENT_AT;
    }
    if (is_waiting) atomic_or(&memory.waiting[item / 32], 1u << (item & 31));
  }
  memory.ends[item] = ends;
  memory.waits[item] = waits;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) resolve_ends(&memory);
  barrier(CLK_LOCAL_MEM_FENCE);

  // Computes the indices, except those copied from other sub-blocks.
  ulong indices = 0;
  if (is_there) {
    const int kind = (int)(own_symbols.x & 15), mode = (int)(own_symbols.x >> SYMBOLS_INDICES_AT & 15);
    ends = memory.ends[item];
    uint is = is_fitted ? BY_PIXELS : OF_REFERENCE;
    if (kind == KIND_CODED) is = 1u << mode;
    if ((is & OF_REFERENCE) != 0) indices = indices_of(value);
    if ((is & BY_PIXELS) != 0) indices = indices_near(ends, pixels, own_symbols.yz);
    if ((is & ONE_LEVEL) != 0)
      indices = index_of_level((int)own_symbols.y, is_full(TEXCAST_CHANNEL, ends)) * EACH_INDEX;
    if ((is & BY_THEMSELVES) != 0) indices = intra_indices(ends, own_symbols.yz);
    if ((is & LEVEL_BY_LEVEL) != 0) indices = indices_of_levels(own_symbols.yz, is_full(TEXCAST_CHANNEL, ends));
    if ((is & OF_NEIGHBOUR) != 0) back = mode == INDICES_LEFT ? to_left : to_above;
    if ((is & OF_LUMA) != 0) {
      const texcast_component luma = components[0].component;
      indices = indices_of(reconstruction[position_of(&luma, x, y)]);
      if (mode == INDICES_MIRRORED_LUMA) indices = mirrored_indices(indices);
    }
  }
  memory.back[item] = back;
  memory.indices[item] = indices;
  barrier(CLK_LOCAL_MEM_FENCE);

  // Follows copied indices to the sub-block that has its own.
  if (is_there) {
    int at = item;
    for (uint of = back; of != 0; of = memory.back[at]) at -= (int)of;
    const ulong value_here = memory.indices[at] << END_BITS | ends;
    reconstruction[position] = value_here;
    if (has_reference != 0 && reference[position] != value_here) flags |= TEXCAST_DECODED_CHANGED;
    if (flags != 0) atomic_or(&memory.flags, flags);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && memory.flags != 0)
    atomic_or(results + part->slice * (int)(sizeof(texcast_decoded_slice) / sizeof(uint)), memory.flags);
}
