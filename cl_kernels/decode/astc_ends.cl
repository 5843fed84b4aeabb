// astc_ends.cl — ASTC's end points: two colours from a partition's integers, by its colour end point mode.
//   exactness    integer; equals codec/ref/astc/astc_end_points.cpp
//   source       Khronos Data Format 1.3, section 23.14
#include "decode/astc_integers.cl"
#include "decode/texels.cl"

#define ASTC_ERROR_COLOUR opaque_texel(255, 0, 255)

static bool is_hdr_mode(int mode) { return mode == 2 || mode == 3 || mode == 7 || mode == 11 || mode >= 14; }
static int integers_of_mode(int mode) { return 2 * (mode / 4) + 2; }

static uint clamped_ends(int4 c) {
  const int4 clamped = clamp(c, (int4)(0), (int4)(255));
  return texel_of(clamped.x, clamped.y, clamped.z, clamped.w);
}

// Reverses blue contraction, by which red and green were stored nearer to blue.
static int4 blue_contract(int4 c) { return (int4)((c.x + c.z) >> 1, (c.y + c.z) >> 1, c.z, c.w); }

// A value of eight bits and a signed offset of six from two integers: the offset's integer holds the value's top bit.
static int base_of(int value, int offset) { return value >> 1 | (offset & 128); }
static int offset_of(int offset) { return ((offset >> 1 & 63) ^ 32) - 32; }

typedef struct {
  uint low, high;  // texels
} astc_ends;

static void set_ends(int4 a, int4 b, astc_ends *out) {
  out->low = clamped_ends(a);
  out->high = clamped_ends(b);
}

// The same, but exchanged and with blue contraction reversed if `is_contracted`.
static void set_colour_ends(int4 a, int4 b, bool is_contracted, astc_ends *out) {
  const uint first = clamped_ends(a), second = clamped_ends(b);
  const uint first_moved = clamped_ends(blue_contract(a)), second_moved = clamped_ends(blue_contract(b));
  out->low = is_contracted ? second_moved : first;
  out->high = is_contracted ? first_moved : second;
}

// Decodes the integers from slot 0 on, each expanded to 0..255. Modes of the HDR profile get the error colour. No
// vector is used after its branch, as Oclgrind 21.10 then takes a wrong one.
static void ends_of(int mode, local const uchar *slots, astc_ends *out) {
  const int count = integers_of_mode(mode);
  const int v0 = SLOT(slots, 0), v1 = SLOT(slots, 1);
  const int v2 = count > 2 ? SLOT(slots, 2) : 0, v3 = count > 2 ? SLOT(slots, 3) : 0;
  const int v4 = count > 4 ? SLOT(slots, 4) : 0, v5 = count > 4 ? SLOT(slots, 5) : 0;
  const int v6 = count > 6 ? SLOT(slots, 6) : 255, v7 = count > 6 ? SLOT(slots, 7) : 255;
  if (is_hdr_mode(mode)) {
    out->low = ASTC_ERROR_COLOUR;
    out->high = ASTC_ERROR_COLOUR;
  } else if (mode == 0) {
    set_ends((int4)(v0, v0, v0, 255), (int4)(v1, v1, v1, 255), out);
  } else if (mode == 1) {
    const int light = v0 >> 2 | (v1 & 0xC0), more = light + (v1 & 63);
    set_ends((int4)(light, light, light, 255), (int4)(more, more, more, 255), out);
  } else if (mode == 4) {
    set_ends((int4)(v0, v0, v0, v2), (int4)(v1, v1, v1, v3), out);
  } else if (mode == 5) {
    const int light = base_of(v0, v1), more = light + offset_of(v1), alpha = base_of(v2, v3);
    set_ends((int4)(light, light, light, alpha), (int4)(more, more, more, alpha + offset_of(v3)), out);
  } else if (mode == 6) {
    set_ends((int4)(v0 * v3 >> 8, v1 * v3 >> 8, v2 * v3 >> 8, 255), (int4)(v0, v1, v2, 255), out);
  } else if (mode == 10) {
    set_ends((int4)(v0 * v3 >> 8, v1 * v3 >> 8, v2 * v3 >> 8, v4), (int4)(v0, v1, v2, v5), out);
  } else if (mode == 8 || mode == 12) {
    set_colour_ends((int4)(v0, v2, v4, v6), (int4)(v1, v3, v5, v7), v1 + v3 + v5 < v0 + v2 + v4, out);
  } else {
    const bool has_alpha = mode == 13;
    const int4 base = (int4)(base_of(v0, v1), base_of(v2, v3), base_of(v4, v5), has_alpha ? base_of(v6, v7) : 255);
    const int4 offset = (int4)(offset_of(v1), offset_of(v3), offset_of(v5), has_alpha ? offset_of(v7) : 0);
    set_colour_ends(base, base + offset, offset.x + offset.y + offset.z < 0, out);
  }
}
