// symbol_reader.cl — the entropy decoder of lossy slices, which may have any bytes, as LookupReader in
// codec/compact/decode/lookup_reader.h: it never reads beyond a slice's words.
//   defines      CHANNEL=1
#include "compact/syntax.cl"

typedef struct symbol_reader {
  global const ushort *next;
  uint left;   // words
  uint ahead;  // the next word, loaded before it is needed
  uint state;
  bool is_short;
  int literal;  // the first context of literal bits
  global const uint *buckets;
  global const ushort *starts;
} symbol_reader;

static uint take_word(symbol_reader *r) {
  if (r->left == 0) {
    r->is_short = true;
    return 0;
  }
  const uint word = r->ahead;
  ++r->next;
  --r->left;
  if (r->left > 0) r->ahead = *r->next;
  return word;
}
// Begins a slice.
static void start_reading(symbol_reader *r, global const ushort *words, global const texcast_slice_to_decode *slice,
                          int literal) {
  r->literal = literal;
  r->next = words + slice->first_word;
  r->left = slice->bytes / 2;
  r->ahead = r->left > 0 ? *r->next : 0;
  r->is_short = (slice->bytes & 1) != 0;
  r->state = take_word(r);
  r->state = r->state << 16 | take_word(r);
}
// Whether the words end here, and the coder's state is the encoder's first.
static bool has_ended_well(const symbol_reader *r) { return !r->is_short && r->left == 0 && r->state == 1; }

// The entry of a slot, in the form of `buckets`: for the few slots that have another symbol than their bucket.
static uint entry_of_slot(global const ushort *starts, uint slot) {
  uint symbol = 0, start = 0, end = 4096;
  for (uint s = 1; s < 16; ++s) {
    const uint next = starts[s];
    symbol = next <= slot ? s : symbol;
    start = next <= slot ? next : start;
    end = next > slot ? min(end, next) : end;
  }
  return (end - start) << 16 | start << 4 | symbol;
}
static int read_symbol(symbol_reader *r, int context) {
  const uint slot = r->state & 4095;
  uint entry = r->buckets[context * TEXCAST_DECODE_BUCKETS + (int)(slot / (4096 / TEXCAST_DECODE_BUCKETS))];
  uint within = slot - (entry >> 4 & 4095);
  if (within >= entry >> 16) {
    entry = entry_of_slot(r->starts + context * 16, slot);
    within = slot - (entry >> 4 & 4095);
  }
  r->state = (entry >> 16) * (r->state >> 12) + within;
  if (r->state < 65536 && r->left > 0) r->state = r->state << 16 | take_word(r);
  return (int)(entry & 15);
}
static uint read_literal(symbol_reader *r, int count) {
  uint value = 0;
  for (int done = 0; done < count; done += 4)
    value |= (uint)read_symbol(r, r->literal + min(count - done, 4) - 1) << done;
  return value & ((1u << count) - 1);
}
static int read_distance(symbol_reader *r, bool of_block, bool is_y, int *bits_of_x) {
  const int length = read_symbol(r, distance_context(of_block, is_y, *bits_of_x));
  if (!is_y) *bits_of_x = length;
  if (length == 0) return 0;
  const uint rest = read_literal(r, length);
  const int size = (int)(1u << (length - 1) | rest >> 1);
  return (rest & 1) != 0 ? -size : size;
}
static int2 read_vector(symbol_reader *r, bool of_block) {
  int bits_of_x = 0;
  const int x = read_distance(r, of_block, false, &bits_of_x);
  return (int2)(x, read_distance(r, of_block, true, &bits_of_x));
}
