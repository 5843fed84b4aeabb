// decode.cl — decodes lossy slices into sub-blocks of channels. Symbols never depend on reconstructed sub-blocks: one
// kernel parses them, slice by slice, and checks whether they are valid; the next ones (reconstruct.cl, and
// reconstruct_transform.cl for transform slices) reconstruct all sub-blocks; the last one computes the slices' checks.
//   defines      CHANNEL=1
//
// parse_slices: parses the symbols of a slice, one after the other. Devices are fast at this if there is no other item
// in the group. Block-coded and transform slices are parsed beside each other, as each takes long.
//   work-group   1 item for each slice
//   local        block_memory      texcast_block_parser; transform_memory: texcast_transform_parser
//   in   words             ushort[]: the bytes of all slices
//        slices            texcast_slice_to_decode[]
//        transform_slices  so many come first that are transform slices
//        components        texcast_decoded_component[count]
//        buckets           uint[content][table set][context][TEXCAST_DECODE_BUCKETS]: the symbol with the most slots in
//                          the bucket: from bit 16 on the number of its slots, from bit 4 on its first slot, and the
//                          symbol
//        starts            ushort[content][table set][context][symbol]: first slots
//        table_sets        their number in a content class
//        transform_buckets, transform_starts
//                          the same of transform slices, [range of quantisers][table set], with
//                          TEXCAST_TRANSFORM_CONTEXTS_USED contexts
//   out  parts             texcast_decoded_part[]: the tiles and sub-slices of all slices
//        symbols           of block-coded slices, uint4[sub-blocks], in their positions: SYMBOLS_…; not in partitions
//                          that are all motion copies
//        macroblocks       of transform slices, texcast_macroblock[part][TEXCAST_MACROBLOCKS], four in a row: those in
//                          the picture
//        levels            short[part][TEXCAST_MACROBLOCKS][TEXCAST_TRANSFORM_BLOCKS][TEXCAST_COEFFICIENTS], row by row:
//                          those of coded transform blocks
//        results           texcast_decoded_slice[]: valid or not
//   exactness    integer; the slices that the CPU accepts are valid
//
// check_slices: computes slice_check() (codec/compact/bitstream/include/compact/payload.h) of valid slices.
//   work-group   1 item for each slice
//   exactness    integer; equals the CPU's result on every device
#include "compact/slice_parser.cl"
#include "compact/transform_parser.cl"
#include "compact/reconstruct.cl"

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void parse_slices(global const ushort *words, global const texcast_slice_to_decode *slices, int transform_slices,
                  global const texcast_decoded_component *components, int count, global const uint *buckets,
                  global const ushort *starts, int table_sets, global const uint *transform_buckets,
                  global const ushort *transform_starts, global texcast_decoded_part *parts, global uint4 *symbols,
                  global texcast_macroblock *macroblocks, global short *levels, global texcast_decoded_slice *results,
                  local texcast_block_parser *block_memory, local texcast_transform_parser *transform_memory) {
  const int number = (int)get_global_id(0);
  global const texcast_slice_to_decode *slice = slices + number;
  const size_t first = (size_t)slice->first_part;
  bool is_valid;
  symbol_reader reader;
  if (number < transform_slices) {
    const transform_tables all = {transform_buckets, transform_starts};
    start_reading(&reader, words, slice, TEXCAST_TRANSFORM_LITERAL_CONTEXT);
    is_valid = read_transform_slice(&reader, slice, components, &all, table_sets, parts + first,
                                    macroblocks + first * TEXCAST_MACROBLOCKS, levels + first * LEVELS_OF_PART,
                                    transform_memory);
  } else {
    start_reading(&reader, words, slice, TEXCAST_LITERAL_CONTEXT);
    is_valid = read_block_slice(&reader, slice, components, count, buckets, starts, table_sets, parts + first, symbols,
                                block_memory);
  }
  for (int i = 0; i < slice->tiles; ++i) describe_part(parts + first + i, slice, number, i, is_valid);
  results[number].flags = is_valid ? TEXCAST_DECODED_VALID : 0;
  results[number].check = 0;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void check_slices(global const ulong *reconstruction, global const texcast_slice_to_decode *slices,
                  global const texcast_decoded_component *components, int count,
                  global texcast_decoded_slice *results) {
  const int number = (int)get_global_id(0);
  global const texcast_slice_to_decode *slice = slices + number;
  if ((results[number].flags & TEXCAST_DECODED_VALID) == 0) return;
  ulong hash = (ulong)slice->tile + 1;
  for (int i = 0; i < slice->tiles; ++i) {
    for (int of = 0; of < count; ++of) {
      const texcast_component c = components[of].component;
      const part_rect p = rect_of_part(&c, slice->tile + i, slice->sub_slices, slice->sub_slice);
      for (int row = 0; row < p.rows; ++row) {
        global const ulong *sub_blocks = reconstruction + position_of(&c, p.x0, p.y0 + row);
        for (int column = 0; column < p.columns; column += 8) {
          // Loads eight at once, as each load takes long.
          ulong loaded[8];
          for (int k = 0; k < 8; ++k) loaded[k] = sub_blocks[min(column + k, p.columns - 1)];
          for (int k = 0; k < 8; ++k)
            if (column + k < p.columns) hash = rotate(hash ^ loaded[k], 32UL) * 0x9E3779B97F4A7C15UL;
        }
      }
    }
  }
  results[number].check = (uint)(hash >> 32);
}
