// sub_block.cl — the fields of a sub-block (8 bytes) and its texels, as in
// codec/compact/bitstream/include/compact/sub_block.h.
//   defines      CHANNEL=1 for sub-blocks of the kind channel, 0 for colours
#include "include/kernels/compact.h"

#if CHANNEL
#define VALUES 2
#define LEVELS 8
#define INDEX_BITS 3
#define END_BITS 16
#define END_MASK 0xFFFFu
#define EACH_INDEX 0x249249249249UL
#else
#define VALUES 6
#define LEVELS 4
#define INDEX_BITS 2
#define END_BITS 32
#define END_MASK 0xFFFFFFFFu
#define EACH_INDEX 0x55555555UL
#endif

static uint ends_of(ulong sub_block) { return (uint)sub_block & END_MASK; }
static ulong indices_of(ulong sub_block) { return sub_block >> END_BITS; }

// Whether all levels lie between the end points.
static bool is_full(int kind, uint ends) {
#if CHANNEL
  return (ends & 255) > (ends >> 8 & 255);
#else
  return kind == TEXCAST_FOUR_COLOR || (ends & 0xFFFF) > ends >> 16;
#endif
}
// The number of the last level between the end points: the level of the second one.
static int steps_of(bool full) {
#if CHANNEL
  return full ? 7 : 5;
#else
  return full ? 3 : 2;
#endif
}
// The level of each index, a hexadecimal digit each.
static uint level_digits(bool full) {
#if CHANNEL
  return full ? 0x65432170u : 0x76432150u;
#else
  return full ? 0x2130u : 0x3120u;
#endif
}
#if CHANNEL
// The inverse of level_digits().
static uint index_of_level(int level, bool full) { return (full ? 0x17654320u : 0x76154320u) >> 4 * level & 7; }
#endif
static uint index_at(ulong indices, int i) { return (uint)(indices >> INDEX_BITS * i) & (LEVELS - 1); }

#if CHANNEL
// Indices with their levels counted from the other end point; all levels must lie between the two. Index i becomes
// (1 - i) mod 8.
static ulong mirrored_indices(ulong indices) {
  const ulong n = ~indices & 0xFFFFFFFFFFFFUL;  // 7 - i; 2 is added below
  return n ^ EACH_INDEX << 1 ^ (n & EACH_INDEX << 1) << 1;
}
#endif

// The values of end points in the order in which they are coded.
static void values_of(uint ends, int values[VALUES]) {
#if CHANNEL
  values[0] = (int)(ends & 255);
  values[1] = (int)(ends >> 8 & 255);
#else
  values[0] = (int)(ends >> 5 & 63);
  values[1] = (int)(ends >> 11 & 31);
  values[2] = (int)(ends & 31);
  values[3] = (int)(ends >> 21 & 63);
  values[4] = (int)(ends >> 27 & 31);
  values[5] = (int)(ends >> 16 & 31);
#endif
}

#if !CHANNEL
static int3 color_of(uint end) {
  const int3 v = (int3)((int)(end >> 11 & 31), (int)(end >> 5 & 63), (int)(end & 31));
  return (int3)(v.x << 3 | v.x >> 2, v.y << 2 | v.y >> 4, v.z << 3 | v.z >> 2);
}
static uint pack_color(int3 c) { return (uint)c.x | (uint)c.y << 8 | (uint)c.z << 16; }
static int3 unpack_color(uint c) { return (int3)((int)(c & 255), (int)(c >> 8 & 255), (int)(c >> 16 & 255)); }

// Colours by index, each as pack_color() packs it.
typedef uint4 palette;
static palette palette_of(int kind, ulong sub_block) {
  const uint ends = ends_of(sub_block);
  const int3 first = color_of(ends & 0xFFFF), second = color_of(ends >> 16);
  const bool full = is_full(kind, ends);
  const int3 near_first = full ? (2 * first + second) / 3 : (first + second) / 2;
  const uint near_second = full ? pack_color((first + 2 * second) / 3) : 0;
  return (uint4)(pack_color(first), pack_color(second), pack_color(near_first), near_second);
}
static uint shade(palette p, uint index) {
  const uint low = (index & 1) != 0 ? p.y : p.x, high = (index & 1) != 0 ? p.w : p.z;
  return (index & 2) != 0 ? high : low;
}
#else
// Values by index, a byte each.
typedef ulong palette;
static palette palette_of(int kind, ulong sub_block) {
  const uint ends = ends_of(sub_block);
  const int first = (int)(ends & 255), second = (int)(ends >> 8 & 255);
  const bool full = is_full(kind, ends);
  ulong out = (ulong)ends;
  if (full) {
    for (int i = 1; i < 7; ++i) out |= (ulong)((first * (7 - i) + second * i) / 7) << 8 * (i + 1);
  } else {
    for (int i = 1; i < 5; ++i) out |= (ulong)((first * (5 - i) + second * i) / 5) << 8 * (i + 1);
    out |= 255UL << 56;
  }
  return out;
}
static uint shade(palette p, uint index) { return (uint)(p >> 8 * index) & 255; }
#endif

// Vectors packed into a number: x in the lower 16 bits, y in the upper.
static uint pack_vector(int2 v) { return ((uint)v.x & 0xFFFF) | (uint)v.y << 16; }
static int2 unpack_vector(uint v) { return (int2)((int)(v << 16) >> 16, (int)v >> 16); }

// The position of a sub-block in a texture of numbers of 8 bytes.
static int position_of(const texcast_component *c, int x, int y) { return c->first + (y * c->blocks_x + x) * c->step; }
static bool has_sub_block(const texcast_component *c, int x, int y) {
  return x >= 0 && y >= 0 && x < c->blocks_x && y < c->blocks_y;
}

// The 4 x 4 texels from (x, y) on. Texels at the edge are repeated outside. Colours have a byte for each channel.
static void load_window(global const ulong *texture, const texcast_component *c, int x, int y, uint texels[16]) {
  const int last_x = c->blocks_x * 4 - 1, last_y = c->blocks_y * 4 - 1;
  const int x0 = clamp(x, 0, last_x) >> 2, x1 = clamp(x + 3, 0, last_x) >> 2;
  const int y0 = clamp(y, 0, last_y) >> 2, y1 = clamp(y + 3, 0, last_y) >> 2;
  const ulong h00 = texture[position_of(c, x0, y0)], h10 = texture[position_of(c, x1, y0)];
  const ulong h01 = texture[position_of(c, x0, y1)], h11 = texture[position_of(c, x1, y1)];
  const palette p00 = palette_of(c->kind, h00), p10 = palette_of(c->kind, h10);
  const palette p01 = palette_of(c->kind, h01), p11 = palette_of(c->kind, h11);
  for (int j = 0; j < 4; ++j) {
    const int ty = clamp(y + j, 0, last_y);
    const bool lower = ty >> 2 != y0;
    const palette left = lower ? p01 : p00, right = lower ? p11 : p10;
    const ulong of_left = indices_of(lower ? h01 : h00), of_right = indices_of(lower ? h11 : h10);
    for (int i = 0; i < 4; ++i) {
      const int tx = clamp(x + i, 0, last_x);
      const bool is_right = tx >> 2 != x0;
      const uint index = index_at(is_right ? of_right : of_left, (ty & 3) * 4 + (tx & 3));
      texels[4 * j + i] = is_right ? shade(right, index) : shade(left, index);
    }
  }
}
