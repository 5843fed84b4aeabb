// astc.cl — decodes ASTC blocks of BLOCK_WIDTH x BLOCK_HEIGHT texels, LDR profile, one work-item per block.
//   in   blocks  uint4, little-endian, any bytes: invalid and HDR blocks get the error colour
//   out  frame   as in decode/texels.cl, but nothing is written right of the picture
//   local        TEXCAST_ASTC_SLOTS bytes per item, GROUP_ITEMS items
//   defines      IS_SRGB: the texture is in sRGB's curve, for which end points are expanded in another way
//   exactness    integer; equals codec/ref/astc/astc_decode.cpp bit for bit on every device
//   source       Khronos Data Format 1.3, section 23
#include "decode/astc_ends.cl"
#include "decode/astc_integers.cl"
#include "decode/bits.cl"
#include "decode/texels.cl"

typedef struct {
  int width, height;  // weights
  int planes;         // two: one channel has its own weights
  int range;          // of the weights
} astc_grid;

// Parses a block's eleven lowest bits. False if they are reserved, or if the grid is too large or too small.
static bool read_grid(int mode, astc_grid *out) {
  const int a = mode >> 5 & 3, b = mode >> 7 & 3, low = mode & 3, middle = mode >> 2 & 3;
  int width = a + 2, height = a + 2, planes = 1 + (mode >> 10 & 1);
  bool is_fine = (mode >> 9 & 1) != 0;
  if (low != 0) {
    if (middle < 2) width = b + 4 + 4 * middle;
    if (middle == 2) height = b + 8;
    if (middle == 3 && b < 2) height = b + 6;
    if (middle == 3 && b >= 2) width = b;
  } else {
    if (middle == 0) return false;
    const int shape = mode & 0x180;  // b in place: Oclgrind 21.10 compares numbers of two bits as eight bits
    if (shape == 0) width = 12;
    if (shape == 0x80) height = 12;
    if (shape == 0x100) {
      width = a + 6;
      height = (mode >> 9 & 3) + 6;
      planes = 1;
      is_fine = false;
    }
    if (shape == 0x180) {
      if (a > 1) return false;
      width = a == 0 ? 6 : 10;
      height = a == 0 ? 10 : 6;
    }
  }
  const int upper_range = low != 0 ? low : middle;
  const int range = 2 * upper_range + (mode >> 4 & 1) - 2 + (is_fine ? 6 : 0), weights = width * height * planes;
  out->width = width;
  out->height = height;
  out->planes = planes;
  out->range = range;
  if (width > BLOCK_WIDTH || height > BLOCK_HEIGHT || weights > TEXCAST_ASTC_SLOTS) return false;
  const int bits = sequence_bits(weights, range);
  return bits >= 24 && bits <= 96;
}

// The block from its last bit to its first. A table reverses nibbles, as Oclgrind 21.10 lacks the instruction that
// clang makes of masks and shifts.
static uint turned_word(uint word) {
  const ulong nibbles = 0xF7B3D591E6A2C480ul;
  uint turned = 0;
  for (int i = 0; i < 8; ++i) turned = turned << 4 | ((uint)(nibbles >> 4 * (word >> 4 * i & 15)) & 15);
  return turned;
}
static uint4 turned_block(uint4 block) {
  return (uint4)(turned_word(block.w), turned_word(block.z), turned_word(block.y), turned_word(block.x));
}

typedef struct {
  astc_grid grid;
  bool is_flat;               // no grid: all texels are `low.x`
  int second_plane_channel;   // -1: none
  int partitions;
  int4 across, down, offset;  // several partitions: the increments of their sums, and the sums' initial values
  uint4 low, high;            // end points of each partition, as texels
} astc_block;

static void set_flat(astc_block *b, uint texel) {
  b->is_flat = true;
  b->low = (uint4)(texel);
}

// Bits 9 to 11, four extents of 13 bits, then a colour of 16 bits per channel, of which the upper byte is used.
static void read_one_colour(uint4 bits, astc_block *b) {
  const int left = bits.x >> 12 & 0x1FFF, top = bits.y >> 6 & 0x1FFF, bottom = bits.y >> 19;
  // Masked first: Oclgrind 21.10 lacks the instruction that clang makes of 32 bits that continue in the next word.
  const int right = bits.x >> 25 | (bits.y & 63) << 7;
  const bool is_everywhere = left == 0x1FFF && right == 0x1FFF && top == 0x1FFF && bottom == 0x1FFF;
  const bool is_valid = (bits.x >> 10 & 3) == 3 && (is_everywhere || (left < right && top < bottom));
  const bool is_hdr = (bits.x >> 9 & 1) != 0;
  const uint texel = (bits.z >> 8 & 0xFF) | (bits.z >> 16 & 0xFF00) | (bits.w << 8 & 0xFF0000) | (bits.w & 0xFF000000);
  set_flat(b, is_valid && !is_hdr ? texel : ASTC_ERROR_COLOUR);
}

static uint hash52(uint p) {
  p ^= p >> 15;
  p *= 0xEEDE0891;
  p ^= p >> 5;
  p += p << 16;
  p ^= p >> 7;
  p ^= p >> 3;
  p ^= p << 6;
  return p ^ p >> 17;
}

// Squares of eight nibbles, shifted in one of two ways. The sums of partitions that do not exist stay 0.
static void read_partition(int index, astc_block *b) {
  const int seed = index + (b->partitions - 1) * 1024;
  const uint random = hash52((uint)(seed));
  const int of_two = seed & 2 ? 4 : 5, of_three = b->partitions == 3 ? 6 : 5;
  const int across = seed & 1 ? of_two : of_three, down = seed & 1 ? of_three : of_two;
  const int scale = BLOCK_WIDTH * BLOCK_HEIGHT < 31 ? 2 : 1;
  const int4 there = (int4)(1, 1, b->partitions > 2 ? 1 : 0, b->partitions > 3 ? 1 : 0);
  const int4 x = convert_int4((uint4)(random, random >> 8, random >> 16, random >> 24) & 15u);
  const int4 y = convert_int4((uint4)(random >> 4, random >> 12, random >> 20, random >> 28) & 15u);
  b->across = (x * x >> across) * scale * there;
  b->down = (y * y >> down) * scale * there;
  b->offset = convert_int4((uint4)(random >> 14, random >> 10, random >> 6, random >> 2) & 63u) * there;
}

static int partition_at(const astc_block *b, int x, int y) {
  const int4 sum = (b->across * x + b->down * y + b->offset) & 63;
  const int first = sum.y > sum.x ? 1 : 0, second = sum.w > sum.z ? 3 : 2;
  return max(sum.z, sum.w) > max(sum.x, sum.y) ? second : first;
}

// The end point modes, a byte per partition: one for all, or for each its class and its lowest two bits. Bits beyond
// six are stored below the weights; `top`, the limit of the colours' end, is lowered by them. Four bits per partition
// would be enough, but Oclgrind 21.10 compares those together with the bits above them.
static int read_modes(uint4 bits, int partitions, int *top) {
  if (partitions == 1) return bits_at(bits, 13, 4);
  const int encoded = bits_at(bits, 23, 6), base_class = (encoded & 3) - 1;
  if (base_class < 0) return (encoded >> 2) * 0x1010101;
  const int more = 3 * partitions - 4;
  *top -= more;
  const int all = encoded | bits_at(bits, *top, more) << 6;
  int modes = 0;
  for (int p = 0; p < partitions; ++p) {
    const int mode = 4 * (base_class + (all >> (2 + p) & 1)) + (all >> (2 + partitions + 2 * p) & 3);
    modes |= mode << 8 * p;
  }
  return modes;
}

// The colours' range is the finest that has room. False if none has.
static bool read_colours(uint4 bits, int first, int room, int count, local uchar *slots) {
  int range = ASTC_LAST_COLOUR_RANGE;
  while (range >= ASTC_FIRST_COLOUR_RANGE && sequence_bits(count, range) > room) --range;
  if (range < ASTC_FIRST_COLOUR_RANGE) return false;
  read_integers(bits, first, count, range, slots);
  for (int i = 0; i < count; ++i) SLOT(slots, i) = (uchar)(colour_of(SLOT(slots, i), range));
  return true;
}

static uint4 with_texel(uint4 texels, int index, uint texel) {
  return (uint4)(index == 0 ? texel : texels.x, index == 1 ? texel : texels.y, index == 2 ? texel : texels.z,
                 index == 3 ? texel : texels.w);
}

static void read_ends(int modes, local const uchar *slots, astc_block *b) {
  b->low = (uint4)(0);
  b->high = (uint4)(0);
  for (int p = 0; p < b->partitions; ++p) {
    const int mode = modes >> 8 * p & 255;
    astc_ends ends;
    ends_of(mode, slots, &ends);
    slots += integers_of_mode(mode) * GROUP_ITEMS;
    b->low = with_texel(b->low, p, ends.low);
    b->high = with_texel(b->high, p, ends.high);
  }
}

// Parses all blocks but void extents. False for invalid blocks. The slots then hold the weights.
static bool read_grid_block(uint4 bits, local uchar *slots, astc_block *b) {
  if (!read_grid(bits_at(bits, 0, 11), &b->grid)) return false;
  const int planes = b->grid.planes, weights = b->grid.width * b->grid.height * planes;
  b->partitions = bits_at(bits, 11, 2) + 1;
  if (planes == 2 && b->partitions == 4) return false;
  int top = 128 - sequence_bits(weights, b->grid.range);
  const int first = b->partitions == 1 ? 17 : 29;
  const int modes = read_modes(bits, b->partitions, &top);
  b->second_plane_channel = -1;
  if (planes == 2) {
    top -= 2;
    if (top < first) return false;
    b->second_plane_channel = bits_at(bits, top, 2);
  }
  int count = 0;
  for (int p = 0; p < b->partitions; ++p) count += integers_of_mode(modes >> 8 * p & 255);
  if (count > 18 || !read_colours(bits, first, top - first, count, slots)) return false;
  read_ends(modes, slots, b);
  if (b->partitions > 1) read_partition(bits_at(bits, 13, 10), b);
  read_integers(turned_block(bits), 0, weights, b->grid.range, slots);
  for (int i = 0; i < weights; ++i) SLOT(slots, i) = (uchar)(weight_of(SLOT(slots, i), b->grid.range));
  return true;
}

static void read_astc(uint4 bits, local uchar *slots, astc_block *b) {
  b->is_flat = false;
  if ((bits.x & 0x1FF) == 0x1FC)
    read_one_colour(bits, b);
  else if (!read_grid_block(bits, slots, b))
    set_flat(b, ASTC_ERROR_COLOUR);
}

// The position of texel `at` of `texels` along a side among `weights`, in sixteenths.
static int place_of(int at, int texels, int weights) {
  return ((1024 + texels / 2) / (texels - 1) * at * (weights - 1) + 32) >> 6;
}

// The texel's weight in one plane, 0..64. Beyond the grid's edges there are no weights, but their factor there is zero.
static int texel_weight(const astc_grid *grid, local const uchar *slots, int plane, int across, int down) {
  const int left = across >> 4, top = down >> 4, right_part = across & 15, lower_part = down & 15;
  const int right = min(left + 1, grid->width - 1), bottom = min(top + 1, grid->height - 1);
  const int corner = (right_part * lower_part + 8) >> 4;
  const int upper_row = top * grid->width, lower_row = bottom * grid->width;
  return ((16 - right_part - lower_part + corner) * SLOT(slots, (upper_row + left) * grid->planes + plane) +
          (right_part - corner) * SLOT(slots, (upper_row + right) * grid->planes + plane) +
          (lower_part - corner) * SLOT(slots, (lower_row + left) * grid->planes + plane) +
          corner * SLOT(slots, (lower_row + right) * grid->planes + plane) + 8) >>
         4;
}

// End points expanded to 16 bits.
static int4 widened(uint texel) {
  const int4 c = (int4)((int)(texel & 255), (int)(texel >> 8 & 255), (int)(texel >> 16 & 255), (int)(texel >> 24));
#ifdef IS_SRGB
  return c << 8 | 128;
#else
  return c << 8 | c;
#endif
}

static uint astc_texel(const astc_block *b, local const uchar *slots, int x, int y) {
  const int across = place_of(x, BLOCK_WIDTH, b->grid.width), down = place_of(y, BLOCK_HEIGHT, b->grid.height);
  const int first = texel_weight(&b->grid, slots, 0, across, down);
  int4 weight = (int4)(first);
  if (b->second_plane_channel >= 0) {
    const int second = texel_weight(&b->grid, slots, 1, across, down), channel = b->second_plane_channel;
    weight = (int4)(channel == 0 ? second : first, channel == 1 ? second : first, channel == 2 ? second : first,
                    channel == 3 ? second : first);
  }
  const int p = b->partitions == 1 ? 0 : partition_at(b, x, y);
  const int4 c = (widened(one_of(b->low, p)) * (64 - weight) + widened(one_of(b->high, p)) * weight + 32) >> 14;
  return texel_of(c.x, c.y, c.z, c.w);
}

kernel void decode_astc(global const uint4 *blocks, global uchar *frame, const texcast_decoded t,
                        local uchar *group_slots) {
  int block, left, top;
  if (!own_texels(&t, &block, &left, &top)) return;
  const int width = min(BLOCK_WIDTH, t.width - left), height = min(BLOCK_HEIGHT, t.height - top), stride = t.stride;
  global uchar *corner = frame + top * stride + 4 * left;
  local uchar *slots = group_slots + get_local_id(0);
  astc_block b;
  read_astc(blocks[block], slots, &b);
  for (int y = 0; y < height; ++y) {
    global uint *row = (global uint *)(corner + y * stride);
    for (int x = 0; x < width; ++x) row[x] = b.is_flat ? b.low.x : astc_texel(&b, slots, x, y);
  }
}
