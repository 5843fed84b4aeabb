// rans.cl — units' symbols to bytes, as codec/compact/rans.h does it.
#include "include/kernels/compact.h"

// code_units: from the last symbol to the first.
//   work-items   one a unit; global rounded up
//   in   rooms   uint[unit]: the most words of 16 bits that it may have, no more than `stride`
//        symbols, units   of write_symbols
//        slots   uint[component][context][symbol]: start in the lower 16 bits, how many in the upper
//   out  words   ushort[unit][stride]: the last of those that its unit tells
//        units   how many, and where gather_units puts them
//        totals  [1]: words of all units
kernel void code_units(uint count, global const uint *rooms, global const ushort *symbols, global const uint *slots,
                       int components, uint stride, global ushort *words,
                       global texcast_coded_unit *units, volatile global uint *totals) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= count) return;
  global texcast_coded_unit *unit = units + slot;
  words += slot * stride;
  symbols += unit->first;
  uint state = 1u << 16, at = stride;
  const uint least = stride - rooms[slot];
  bool fits = true;
  for (int c = components - 1; c >= 0 && fits; --c) {
    global const uint *table = slots + c * TEXCAST_CONTEXTS * 16;
    const uint begin = c > 0 ? unit->end[c - 1] : 0, end = unit->end[c];
    if (begin == end) continue;
    // The next one's slots are on their way while this one's are divided by.
    uint next = table[symbols[end - 1]];
    for (uint i = end; i > begin; --i) {
      const uint slot_of = next;
      if (i - 1 > begin) next = table[symbols[i - 2]];
      const uint frequency = slot_of >> 16;
      if (state >> 20 >= frequency) {
        if (at == least) {
          fits = false;
          break;
        }
        words[--at] = (ushort)state;
        state >>= 16;
      }
      const uint quotient = state / frequency;
      state = (quotient << 12) + (state - quotient * frequency) + (slot_of & 0xFFFF);
    }
  }
  if (!fits || at < least + 2) {
    unit->words = 0;
    return;
  }
  at -= 2;
  words[at] = (ushort)(state >> 16);
  words[at + 1] = (ushort)state;
  unit->words = stride - at;
  unit->first_word = atomic_add(totals + 1, stride - at);
}

// gather_units: their words one after the other.
//   work-group   any, a unit
//   in   words, units   of code_units
//   out  all            ushort: each unit's from its first_word on
kernel void gather_units(global const ushort *words, global const texcast_coded_unit *units, uint stride,
                         global ushort *all) {
  const uint slot = (uint)get_group_id(0), count = units[slot].words;
  words += (slot + 1) * stride - count;
  all += units[slot].first_word;
  for (uint i = (uint)get_local_id(0); i < count; i += (uint)get_local_size(0)) all[i] = words[i];
}
