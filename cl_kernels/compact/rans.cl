// rans.cl — codes the symbols of lossy slices as bytes, as codec/compact/bitstream/rans.cpp does.
#include "include/kernels/compact.h"

// Codes a symbol. False: its word has no room from word `least` on.
static bool code_slot(uint slot_of, global ushort *words, uint least, uint *at, uint *state) {
  const uint frequency = slot_of >> 16;
  if (*state >> 20 >= frequency) {
    if (*at == least) return false;
    words[--*at] = (ushort)*state;
    *state >>= 16;
  }
  const uint quotient = *state / frequency;
  *state = (quotient << 12) + (*state - quotient * frequency) + (slot_of & 0xFFFF);
  return true;
}
// Codes symbols from the last one to the first with their table of slots. Words are written downwards. False: they have
// no room from word `least` on. Eight slots are loaded while the eight after them are coded, as an item that waited for
// each one would do little else.
#define SLOTS_AHEAD 8
static bool code_symbols(global const ushort *symbols, uint begin, uint end, global const uint *table,
                         global ushort *words, uint least, uint *at, uint *state) {
  uint slots[SLOTS_AHEAD], next[SLOTS_AHEAD];
  if (begin == end) return true;
#pragma unroll
  for (uint k = 0; k < SLOTS_AHEAD; ++k) next[k] = table[symbols[max(end, begin + 1 + k) - 1 - k]];
  for (uint i = end; i > begin; i -= min(i - begin, (uint)SLOTS_AHEAD)) {
#pragma unroll
    for (uint k = 0; k < SLOTS_AHEAD; ++k) {
      slots[k] = next[k];
      next[k] = table[symbols[max(i, begin + SLOTS_AHEAD + 1 + k) - SLOTS_AHEAD - 1 - k]];
    }
#pragma unroll
    for (uint k = 0; k < SLOTS_AHEAD; ++k)
      if (i - begin > k && !code_slot(slots[k], words, least, at, state)) return false;
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

// Takes the place of a coded tile's words, among those of the tiles from `begin` on.
static void place_words(global texcast_coded_tile *coded, uint words, uint begin, volatile global uint *used) {
  coded->words = words;
  coded->first_word = begin + atomic_add(used, words);
}

// code_tiles: codes the tiles of a lossy stream whose symbols symbolise_tiles wrote.
//   work-items   one for each tile; global rounded up
//   in   symbols      from symbolise_tiles
//        slots        uint[content][component][context][symbol]
//        most_words   the most words of a tile, at most `stride`; a tile with fewer raw bytes has a lower limit
//        begin        where gather_tiles puts the first of these tiles' words
//   both coded        texcast_coded_tile[]: `count` of them from `first` on
//        used         [1]: words so far, from `begin` on
//   out  words        ushort[tile][stride]: a tile's words are at the end
kernel void code_tiles(uint count, int first, global const ushort *symbols, global const uint *slots, int components,
                       uint most_words, uint stride, uint begin, volatile global uint *used, global ushort *words,
                       global texcast_coded_tile *coded_tiles) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= count) return;
  global texcast_coded_tile *coded = coded_tiles + first + slot;
  coded->words = 0;
  if (coded->first == TEXCAST_LOSSY_NO_ROOM) return;
  words += slot * stride;
  symbols += coded->first;
  slots += coded->content * (uint)components * TEXCAST_LOSSY_CONTEXTS * 16;
  uint state = 1, at = stride;
  const uint least = stride - min(most_words, coded->most_words);
  bool fits = true;
  for (int c = components - 1; c >= 0 && fits; --c)
    fits = code_symbols(symbols, c > 0 ? coded->end[c - 1] : 0, coded->end[c], slots + c * TEXCAST_LOSSY_CONTEXTS * 16,
                        words, least, &at, &state);
  if (fits && end_code(state, words, least, &at)) place_words(coded, stride - at, begin, used);
}

// code_transform_tiles: codes the tiles whose symbols symbolise_transform wrote. Its arguments are those of code_tiles
// but for
//   in   slots        uint[range][component][context][symbol], with TEXCAST_TRANSFORM_CONTEXTS contexts
//        tiles        texcast_lossy_tile[]: `count` of them from `first` on
kernel void code_transform_tiles(uint count, int first, global const ushort *symbols, global const uint *slots,
                                 global const texcast_lossy_tile *tiles, uint most_words, uint stride, uint begin,
                                 volatile global uint *used, global ushort *words,
                                 global texcast_coded_tile *coded_tiles) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= count) return;
  global texcast_coded_tile *coded = coded_tiles + first + slot;
  coded->words = 0;
  if (coded->first == TEXCAST_LOSSY_NO_ROOM) return;
  words += slot * stride;
  const int quantiser = tiles[first + slot].transform_quantiser;
  const uint range = TEXCAST_TRANSFORM_RANGE(quantiser);
  slots += range * TEXCAST_TRANSFORM_COMPONENTS * TEXCAST_TRANSFORM_CONTEXTS * 16;
  uint state = 1, at = stride;
  const uint least = stride - min(most_words, coded->most_words);
  const bool fits = code_symbols(symbols + coded->first, 0, coded->end[0], slots, words, least, &at, &state);
  if (fits && end_code(state, words, least, &at)) place_words(coded, stride - at, begin, used);
}

// gather_tiles: puts the words of tiles one after the other.
//   work-group   of any size, one for each tile
//   out  symbols_used, words_used   [1]: become 0, for the next batch
kernel void gather_tiles(int first, global const ushort *words, global const texcast_coded_tile *coded, uint stride,
                         global ushort *all, global uint *symbols_used, global uint *words_used) {
  if (get_global_id(0) == 0) *symbols_used = *words_used = 0;
  const uint slot = (uint)get_group_id(0), count = coded[first + (int)slot].words;
  words += (slot + 1) * stride - count;
  all += coded[first + (int)slot].first_word;
  for (uint i = (uint)get_local_id(0); i < count; i += (uint)get_local_size(0)) all[i] = words[i];
}
