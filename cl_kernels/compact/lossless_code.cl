// lossless_code.cl — codes the symbols of lossless slices as bytes, as codec/compact/bitstream/rans.cpp does, and puts
// the slices' bytes one after the other.
//   work-group   CODE_SLICES slices with CODE_LANES items each; global = slices rounded up to groups. All items of a
//                slice look up its symbols, one of them codes these one after the other, and all copy its words
//   in   rooms          uint[slice]: the most words of 16 bits that it may have, at most `stride`
//        symbols        from write_symbols; coded_slices: from decide_lossless
//        slots          uint[component][context][symbol]: the first slot in the lower 16 bits, their number in the
//                       upper
//   out  words          ushort: each slice's words from its first_word on
//        coded_slices   the number of words, and where they are
//        totals         [1]: words of all slices; [2]: slices without room
//   local looked_up     uint2[CODE_SLICES][CODE_CHUNK + 1]
//        written        ushort[CODE_SLICES][stride]: a slice's words are at the end
//        shared         uint2[CODE_SLICES]
//   exactness    integer; the bytes are those of rans.cpp on every device
#include "include/kernels/compact.h"

#ifndef CODE_SLICES
#define CODE_SLICES TEXCAST_CODE_SLICES
#endif
#define CODE_LANES (TEXCAST_CODE_ITEMS / CODE_SLICES)
#define CODE_CHUNK TEXCAST_CODE_CHUNK

// The slots of a symbol, counted from the first one of a slice in coding order, and the reciprocal of their number.
static uint2 look_up(global const texcast_coded_slice *coded, global const ushort *symbols, global const uint *slots,
                     int components, uint at) {
  int component = 0;
  for (int c = 0; c + 1 < components; ++c) component += at >= coded->end[c] ? 1 : 0;
  const uint found = slots[component * TEXCAST_CONTEXTS * 16 + symbols[coded->first + at]];
  return (uint2)(found, 0xFFFFFFFFu / (found >> 16));
}

// The state of a slice's coder. Words are written downwards, from `at` on.
typedef struct coder {
  uint state, at;
  bool fits;
} coder;

// state / frequency. The product is that or one less, as the reciprocal is less than 1 below 2^32 / frequency.
static uint quotient_of(uint state, uint frequency, uint reciprocal) {
  const uint quotient = mul_hi(state, reciprocal);
  return quotient + (state - quotient * frequency >= frequency ? 1 : 0);
}

// Codes symbols of which the slots are known. They have no room from word `least` on.
static void code_symbols(coder *k, local const uint2 *looked_up, uint count, local ushort *written, uint least) {
  uint2 next = looked_up[0];
  for (uint i = 0; i < count; ++i) {
    const uint frequency = next.x >> 16, start = next.x & 0xFFFF, reciprocal = next.y;
    next = looked_up[i + 1];
    if (k->state >> 20 >= frequency) {
      if (k->at == least) {
        k->fits = false;
        return;
      }
      written[--k->at] = (ushort)k->state;
      k->state >>= 16;
    }
    // The quotient times 2^12, the remainder and the start.
    k->state += quotient_of(k->state, frequency, reciprocal) * (4096 - frequency) + start;
  }
}

// Writes the final state. Returns the number of words, or 0 if there is no room.
static uint end_code(coder *k, local ushort *written, uint least, uint stride) {
  if (!k->fits || k->at < least + 2) return 0;
  k->at -= 2;
  written[k->at] = (ushort)(k->state >> 16);
  written[k->at + 1] = (ushort)k->state;
  return stride - k->at;
}

kernel __attribute__((reqd_work_group_size(TEXCAST_CODE_ITEMS, 1, 1)))
void code_slices(uint count, global const uint *rooms, global const ushort *symbols, global const uint *slots,
                 int components, uint stride, global ushort *words, global texcast_coded_slice *coded_slices,
                 volatile global uint *totals, local uint2 *looked_up, local ushort *written, local uint2 *shared) {
  const uint of_group = (uint)get_local_id(0) / CODE_LANES, lane = (uint)get_local_id(0) % CODE_LANES;
  const uint slot = (uint)get_group_id(0) * CODE_SLICES + of_group;
  const bool exists = slot < count, codes = exists && lane == 0;
  global texcast_coded_slice *coded = coded_slices + min(slot, count - 1);
  const uint symbol_count = exists ? coded->end[components - 1] : 0, least = stride - rooms[min(slot, count - 1)];
  looked_up += of_group * (CODE_CHUNK + 1);
  written += of_group * stride;
  if (lane == 0) shared[of_group] = (uint2)(symbol_count, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint most = 0;
  for (int i = 0; i < CODE_SLICES; ++i) most = max(most, shared[i].x);

  coder k = {1u << 16, stride, true};
  for (uint done = 0; done < most; done += CODE_CHUNK) {
    const uint left = max(symbol_count, done) - done, chunk = min(left, (uint)CODE_CHUNK);
    for (uint i = lane; i < chunk; i += CODE_LANES)
      looked_up[i] = look_up(coded, symbols, slots, components, left - 1 - i);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (codes && k.fits) code_symbols(&k, looked_up, chunk, written, least);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (codes) {
    coded->words = end_code(&k, written, least, stride);
    coded->first_word = atomic_add(totals + 1, coded->words);
    if (coded->words == 0) atomic_inc(totals + 2);
    shared[of_group] = (uint2)(coded->words, coded->first_word);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint2 place = shared[of_group];
  for (uint i = lane; i < place.x && exists; i += CODE_LANES) words[place.y + i] = written[stride - place.x + i];
}
