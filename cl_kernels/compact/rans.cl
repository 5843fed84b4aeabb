// rans.cl — codes the symbols of slices as bytes, as codec/compact/bitstream/rans.cpp does.
#include "include/kernels/compact.h"

// Codes symbols from the last one to the first with their table of slots. Words are written downwards. False: they have
// no room from word `least` on.
static bool code_symbols(global const ushort *symbols, uint begin, uint end, global const uint *table,
                         global ushort *words, uint least, uint *at, uint *state) {
  if (begin == end) return true;
  // The next symbol's slots are loaded while this one's are divided by.
  uint next = table[symbols[end - 1]];
  for (uint i = end; i > begin; --i) {
    const uint slot_of = next;
    if (i - 1 > begin) next = table[symbols[i - 2]];
    const uint frequency = slot_of >> 16;
    if (*state >> 20 >= frequency) {
      if (*at == least) return false;
      words[--*at] = (ushort)*state;
      *state >>= 16;
    }
    const uint quotient = *state / frequency;
    *state = (quotient << 12) + (*state - quotient * frequency) + (slot_of & 0xFFFF);
  }
  return true;
}
// Writes the final state. False: there is no room.
static bool end_code(uint state, global ushort *words, uint least, uint *at) {
  if (*at < least + 2) return false;
  *at -= 2;
  words[*at] = (ushort)(state >> 16);
  words[*at + 1] = (ushort)state;
  return true;
}

// code_units: codes lossless slices.
//   work-items   one for each slice; global rounded up
//   in   rooms   uint[slice]: the most words of 16 bits that it may have, at most `stride`
//        symbols   from write_symbols; units: from walk_units
//        slots   uint[component][context][symbol]: the first slot in the lower 16 bits, their number in the upper
//   out  words   ushort[slice][stride]: a slice's words are at the end
//        units   the number of words, and where gather_units puts them
//        totals  [1]: words of all slices
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
  for (int c = components - 1; c >= 0 && fits; --c)
    fits = code_symbols(symbols, c > 0 ? unit->end[c - 1] : 0, unit->end[c], slots + c * TEXCAST_CONTEXTS * 16, words,
                        least, &at, &state);
  if (!fits || !end_code(state, words, least, &at)) {
    unit->words = 0;
    return;
  }
  unit->words = stride - at;
  unit->first_word = atomic_add(totals + 1, stride - at);
}

// gather_units: puts the words of slices one after the other.
//   work-group   of any size, one for each slice
//   in   words, units   from code_units
//   out  all            ushort: each slice's words from its first_word on
kernel void gather_units(global const ushort *words, global const texcast_coded_unit *units, uint stride,
                         global ushort *all) {
  const uint slot = (uint)get_group_id(0), count = units[slot].words;
  words += (slot + 1) * stride - count;
  all += units[slot].first_word;
  for (uint i = (uint)get_local_id(0); i < count; i += (uint)get_local_size(0)) all[i] = words[i];
}

// code_tiles: codes the tiles of a lossy stream whose symbols tell_tiles wrote.
//   work-items   one for each tile; global rounded up
//   in   symbols   from tell_tiles
//        slots     uint[content][component][context][symbol]
//        most_words   the most words of a tile, at most `stride`; a tile with fewer raw bytes has a lower limit
//        begin     where gather_tiles puts the first of these tiles' words
//   both told      texcast_lossy_told[]: `count` of them from `first` on
//        used      [1]: words so far, from `begin` on
//   out  words     ushort[tile][stride]: a tile's words are at the end
kernel void code_tiles(uint count, int first, global const ushort *symbols, global const uint *slots, int components,
                       uint most_words, uint stride, uint begin, volatile global uint *used, global ushort *words,
                       global texcast_lossy_told *all_told) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= count) return;
  global texcast_lossy_told *told = all_told + first + slot;
  told->words = 0;
  if (told->first == TEXCAST_LOSSY_UNTOLD) return;
  words += slot * stride;
  symbols += told->first;
  slots += told->content * (uint)components * TEXCAST_LOSSY_CONTEXTS * 16;
  uint state = 1, at = stride;
  const uint least = stride - min(most_words, told->most_words);
  bool fits = true;
  for (int c = components - 1; c >= 0 && fits; --c)
    fits = code_symbols(symbols, c > 0 ? told->end[c - 1] : 0, told->end[c], slots + c * TEXCAST_LOSSY_CONTEXTS * 16,
                        words, least, &at, &state);
  if (!fits || !end_code(state, words, least, &at)) return;
  told->words = stride - at;
  told->first_word = begin + atomic_add(used, stride - at);
}

// gather_tiles: puts the words of tiles one after the other.
//   work-group   of any size, one for each tile
kernel void gather_tiles(int first, global const ushort *words, global const texcast_lossy_told *told, uint stride,
                         global ushort *all) {
  const uint slot = (uint)get_group_id(0), count = told[first + (int)slot].words;
  words += (slot + 1) * stride - count;
  all += told[first + (int)slot].first_word;
  for (uint i = (uint)get_local_id(0); i < count; i += (uint)get_local_size(0)) all[i] = words[i];
}
