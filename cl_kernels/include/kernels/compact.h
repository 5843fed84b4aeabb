// compact.h — what the host and the kernels for coded streams (docs/compact.md) agree on. Plain C. Structures are
// multiples of 4 bytes without padding.
#ifndef TEXCAST_KERNELS_COMPACT_H
#define TEXCAST_KERNELS_COMPACT_H

// The values of compact::SubBlockKind.
#define TEXCAST_COLOR 0
#define TEXCAST_FOUR_COLOR 1
#define TEXCAST_CHANNEL 2

// The first context of each group (codec/compact/bitstream/include/compact/contexts.h). tests/kernels/compact_check.cpp
// compares them.
#define TEXCAST_VECTOR_CONTEXT 0
#define TEXCAST_DISTANCE_CONTEXT 4
#define TEXCAST_KIND_CONTEXT 40
#define TEXCAST_ENDS_CONTEXT 88
#define TEXCAST_RESIDUAL_CONTEXT 120
#define TEXCAST_INDICES_CONTEXT 936
#define TEXCAST_LEVEL_CONTEXT 1260
#define TEXCAST_RANKS_CONTEXT 1261
#define TEXCAST_FAR_RANK_CONTEXT 1461
#define TEXCAST_LEVELS_CONTEXT 1466
#define TEXCAST_LITERAL_CONTEXT 1551
#define TEXCAST_CONTEXTS 1555
// Contexts that only lossy slices use.
#define TEXCAST_PARTITION_CONTEXT 1555
#define TEXCAST_PARTITION_COPIED 4  // added to the symbol of a partition whose sub-blocks are all motion copies
#define TEXCAST_LOSSY_KIND_CONTEXT 1567
#define TEXCAST_DIRECT_LEVEL_CONTEXT 1647
#define TEXCAST_LOSSY_CONTEXTS 1755
#define TEXCAST_CONTENTS 3       // content classes, each with its own tables (compact::Content)
#define TEXCAST_SCREEN 1         // compact::Content::screen
#define TEXCAST_FOREIGN_BITS 60  // a prediction is bad if its distortion is worth more bits than this

// Sub-blocks of one kind in one plane (compact::Component).
typedef struct texcast_component {
  int kind;
  int blocks_x, blocks_y;
  int across, down;             // pixels of the picture for one texel
  int first, step;              // in 8 bytes: the position of the first sub-block, and the distance between them
  int tile_columns, tile_rows;  // sub-blocks in a tile, at most
  int tiles_across;
  int index_shift;  // right shift of a sub-block's hash that gives its bucket
} texcast_component;

// A slice as a number: from bit 0 on its tile, from bit 24 on the base-2 logarithm of the number of sub-slices, from
// bit 26 on which of these it is, and in bit 31 whether it is intra.
#define TEXCAST_SLICE_TILE 0xFFFFFFu
#define TEXCAST_SLICE_SUB_SLICES_AT 24
#define TEXCAST_SLICE_SUB_SLICE_AT 26
#define TEXCAST_SLICE_INTRA 0x80000000u

// The pre-analysis of a sub-block in a lossless slice: everything that does not depend on earlier sub-blocks of the
// slice. Costs are in 1/32 bits.
#define TEXCAST_PREDICTORS 4  // predictors of end points, in the order of their modes: reference, left, above, fitted
typedef struct texcast_analysis {
  unsigned int flags;           // TEXCAST_IS_MOTION_COPY and those after it
  unsigned int value[2];        // the 8 bytes
  unsigned int reference_ends;  // end points in the reference frame at the vector
  unsigned int fitted;          // end points fitted to the prediction block
  unsigned int hash_vector;     // vector of the hash copy, in sub-blocks: x in the lower 16 bits, y in the upper
  unsigned int costs;           // lower 16 bits: cost of that vector, 0xFFFF: there is none; upper: of intra indices
  unsigned int near[2];         // costs of ranks in groups 0 and 1, and in groups 2 and 3
  unsigned int ranks[2];        // of texels: in colours 2 bits each, in channels 3 bits each, eight texels in a number
  unsigned int counts;          // of symbols, 5 bits each: residuals by predictor; rank escapes; intra rank escapes
  unsigned int largest;         // largest magnitude class of the residuals, 2 bits for each predictor
  unsigned int distance[2];     // their approximate cost, 16 bits for each predictor; 0xFFFF: it does not exist
  unsigned int residual_cost[TEXCAST_PREDICTORS][2];  // their cost, if the neighbours' class is 0 or 1, 2 or 3
  unsigned int unused;
} texcast_analysis;

#define TEXCAST_IS_MOTION_COPY (1u << 0)  // equals the motion copy
#define TEXCAST_IS_CO_LOCATED (1u << 1)   // equals the co-located sub-block, whatever its vector is
#define TEXCAST_IS_LEFT (1u << 2)         // equals the left neighbour
#define TEXCAST_IS_ABOVE (1u << 3)        // equals the upper neighbour
#define TEXCAST_HAS_REFERENCE_ENDS (1u << 4)
#define TEXCAST_HAS_LEFT_ENDS (1u << 5)
#define TEXCAST_HAS_ABOVE_ENDS (1u << 6)
#define TEXCAST_IS_CONSTANT (1u << 7)  // all indices are equal
#define TEXCAST_HAS_REFERENCE_INDICES (1u << 8)
#define TEXCAST_HAS_LEFT_INDICES (1u << 9)
#define TEXCAST_HAS_ABOVE_INDICES (1u << 10)
#define TEXCAST_IS_PREDICTED (1u << 11)         // all ranks are 0
#define TEXCAST_TRIES_INTRA_INDICES (1u << 12)  // intra indices are worth trying
#define TEXCAST_HAS_VECTOR (1u << 13)           // the vector is not zero
#define TEXCAST_LEVEL_AT 16                     // 3 bits: the level of texel 0

// The decision for a sub-block of a lossless slice. First number: kind 3 bits, mode of the end points 4, mode of the
// indices 4, contexts of the kind 6 and of the end points 5, magnitude class of the neighbours 2. Second number:
// context of the indices 9 bits; from bit 16 on the position of its first symbol in the slice. Contexts count from the
// first of their group.
#define TEXCAST_CHOICE_ENDS_AT 3
#define TEXCAST_CHOICE_INDICES_AT 7
#define TEXCAST_CHOICE_KIND_CONTEXT_AT 11
#define TEXCAST_CHOICE_ENDS_CONTEXT_AT 17
#define TEXCAST_CHOICE_NEIGHBOURS_AT 22
#define TEXCAST_CHOICE_SYMBOLS_AT 16

// A coded lossless slice.
#define TEXCAST_HASH_COPY_TILES 15  // tiles that can be listed as sources of hash copies
typedef struct texcast_coded_slice {
  unsigned int first;   // first symbol, in the list of all slices
  unsigned int end[4];  // ends of the components' symbols, counted from there
  unsigned int
      referenced;  // number of tiles from which hash copies come; more than TEXCAST_HASH_COPY_TILES: not all are listed
  unsigned int referenced_tiles[TEXCAST_HASH_COPY_TILES];
  unsigned int vectors[8];  // of the tile's partitions: x in the lower 16 bits, y in the upper
  unsigned int words;       // of 16 bits; 0: there is no room
  unsigned int first_word;  // in the list of all slices
  unsigned int unused;
} texcast_coded_slice;

// decide_lossless and code_slices: work-items of a group, and the slices that share them. Few slices of a group work in
// step, and as many groups hide each other's latency. TEXCAST_ROW_NUMBERS: numbers of 16 bytes of a row's analysis in
// local memory, with one more against bank conflicts.
#define TEXCAST_DECIDE_ITEMS 32
#define TEXCAST_DECIDE_SLICES 2
#define TEXCAST_ROW_NUMBERS (16 * 6 + 1)
#define TEXCAST_CODE_ITEMS 32
#define TEXCAST_CODE_SLICES 2
#define TEXCAST_CODE_CHUNK 64  // symbols of a slice that are looked up at once

// Set for a tile of a lossy stream if any of its sub-blocks differs from the previous source. Below it is a bit for
// each partition of the first component.
#define TEXCAST_CHANGED (1u << 8)

// A coded tile of a lossy stream, as a number: the tile; whether its source changed; and whether the reference frame gets
// its samples from transform coding, and not from its blocks.
#define TEXCAST_KEPT_TILE 0xFFFFFFu
#define TEXCAST_KEPT_REDRAWN (1u << 31)
#define TEXCAST_KEPT_SAMPLES (1u << 30)

// A component of a lossy stream.
typedef struct texcast_lossy_component {
  texcast_component component;
  int weight;           // of squared differences, in the distortion
  int least_range[12];  // minimum range between fitted end points, by quantiser
} texcast_lossy_component;

// A tile of a lossy stream that is encoded.
typedef struct texcast_lossy_tile {
  int tile;
  int content;                          // whose tables give the costs (compact::Content)
  int intra;                            // the tile is intra
  int lambda, quantiser;                // compact::RdParameters
  int candidates, refits, least_saved;  // compact::SearchEffort
  unsigned char lambda_weights[8];      // factors of lambda in its partitions, in 16ths (compact::LambdaWeights)
  // For motion search: the SAD that a vector has to save (RdParameters::vector_cost); the tile's best motion candidate,
  // x and y in pixels; a bit for each changed partition.
  int vector_cost;
  int own[2];
  unsigned int changed_partitions;
  int vectors[16];  // of its partitions, x and y in half pixels
  int attempt;      // compact::CodingAttempt
  int transform_lambda, transform_quantiser;  // codec/compact/encode/include/compact/transform_lambda.h
  int adapts_lambda;                          // its partitions get weights of lambda
} texcast_lossy_tile;
#define TEXCAST_ATTEMPT_BLOCKS 0
#define TEXCAST_ATTEMPT_TRANSFORM 1
#define TEXCAST_ATTEMPT_BOTH 2

// Transform slices (docs/compact.md, 5.16). In kernels literal bits follow all other contexts of these slices, so that
// a context has 8 bits.
#define TEXCAST_MACROBLOCK_MODE_CONTEXT 40
#define TEXCAST_CODED_LUMA_CONTEXT 58
#define TEXCAST_CODED_CHROMA_CONTEXT 64
#define TEXCAST_LAST_CONTEXT 76
#define TEXCAST_LAST_MAGNITUDE_CONTEXT 78
#define TEXCAST_MAGNITUDE_CONTEXT 84
#define TEXCAST_ESCAPE_CONTEXT 126
#define TEXCAST_TRANSFORM_LITERAL_CONTEXT 127
#define TEXCAST_TRANSFORM_CONTEXTS 256  // of a table set; the last ones are not used
#define TEXCAST_TRANSFORM_CONTEXTS_USED 131  // the first ones; receivers have no others
// Which of the three ranges of tables a transform quantiser has (compact::transform_range()).
#define TEXCAST_TRANSFORM_RANGE(quantiser) ((quantiser) < 16 ? 0 : (quantiser) < 25 ? 1 : 2)
// A symbol of a transform slice: component << 12 | context << 4 | symbol.
#define TEXCAST_TRANSFORM_COMPONENT_AT 12
#define TEXCAST_TRANSFORM_CONTENT 3  // compact::Content::transform
#define TEXCAST_MACROBLOCKS 8        // of a tile, four in a row
#define TEXCAST_TRANSFORM_COMPONENTS 3
#define TEXCAST_TRANSFORM_BLOCKS 12  // of a macroblock: four for each component, of which some may not exist
#define TEXCAST_COEFFICIENTS 64      // of a transform block
#define TEXCAST_MAGNITUDE_ROWS 10    // symbolise_transform: numbers for each work-item in local memory
#define TEXCAST_INTRA_ROW_BYTES 32   // decide_transform: memory for a row of a transform block in an intra trial
#define TEXCAST_TRANSFORM_DECODE_ITEMS 128
#define TEXCAST_FIT_ITEMS 64      // work-items in a group of fit_transform
#define TEXCAST_SAMPLES_ITEMS 64  // and in those that make samples of sub-blocks (compact/reference_samples.cl)
#define TEXCAST_TRANSFORM_AREA 72  // numbers of a transform block in local memory (compact/transform_blocks.cl)
#define TEXCAST_WINDOW_WORDS 68    // of its reference window there: 16 rows of 4, and 4 more against bank conflicts

// A macroblock of a transform slice (compact::Macroblock).
typedef struct texcast_macroblock {
  int mode;            // compact::MacroblockMode
  int vector[2];       // in quarter pixels
  unsigned int coded;  // from bit 4 * component on, a bit for each transform block: it has coefficients
} texcast_macroblock;

// A tile whose complexity is measured (codec/compact/rate/include/compact/complexity.h).
typedef struct texcast_lossy_complexity {
  int tile;
  int intra;                    // without the reference frame
  int vectors[2];               // the tile's best motion candidate, x and y in pixels
  int previous_vectors[16];     // vectors of its partitions in the previous frame, x and y in pixels
  unsigned int estimate;        // result: TileComplexity::estimate
  unsigned int is_new_content;  // result: TileComplexity::is_new_content
} texcast_lossy_complexity;

// The pre-analysis of a sub-block in a lossy tile: everything that does not depend on earlier decisions in the tile.
// Losses are sums of squared differences from the source.
typedef struct texcast_lossy_analysis {
  unsigned int pixels[4];                 // prediction block: texels of the reference frame at the vector, a byte each
  unsigned int motion_copy[2];            // the 8 bytes of the motion copy
  unsigned int at_vector[2];              // those of the reference frame's sub-block that is nearest to the vector
  int motion_copy_loss, co_located_loss;  // of the motion copy; of the co-located sub-block
  int left_loss, above_loss;  // of the left and of the upper neighbour's motion copy in place of this sub-block
  unsigned int sums;          // of source texels, from bit TEXCAST_LOSSY_SUM_AT on; below it, of their squares
  int prediction_loss;        // loss of the prediction block
  unsigned int ends;          // fitted to the prediction block; from bit 16 on the block encoder's
  int lighter;                // mean difference of the source from the prediction block
} texcast_lossy_analysis;
#define TEXCAST_LOSSY_SUM_AT 20
#define TEXCAST_LOSSY_ANALYSIS_ITEMS 128  // work-items in a group of analyse_lossy: the sub-blocks of a tile, at most

// The decision for a sub-block of a lossy tile. Contexts count from the first of their group.
typedef struct texcast_lossy_choice {
  unsigned int modes;     // kind, modes of the end points and of the indices, 4 bits each; then two residuals
  unsigned int contexts;  // kind 7 bits, end points 5, neighbours' magnitude class 2, indices 9
  unsigned int ranks[2];  // of the texels, 4 bits each
} texcast_lossy_choice;
#define TEXCAST_LOSSY_RESIDUAL_AT 12
#define TEXCAST_LOSSY_RESIDUAL_BITS 10

// The symbols and bytes of a lossy tile.
#define TEXCAST_LOSSY_NO_ROOM 0xFFFFFFFFu  // its symbols have no room
typedef struct texcast_coded_tile {
  unsigned int first;       // first symbol, in the list of all tiles
  unsigned int end[4];      // ends of the components' symbols, counted from there
  unsigned int content;     // whose tables code them in the fewest bits
  unsigned int most_words;  // of 16 bits, that the tile may have
  unsigned int words;       // 0: there is no room
  unsigned int first_word;  // in the list of all tiles
  unsigned int kept;        // of the transform coding: which coding was kept, from choose_coding
} texcast_coded_tile;
#define TEXCAST_KEPT_NONE 0u  // the device lacks memory, or a coding that was not tried is needed
#define TEXCAST_KEPT_BLOCKS 1u
#define TEXCAST_KEPT_TRANSFORM 2u

// A component whose sub-blocks are decoded from slices.
typedef struct texcast_decoded_component {
  texcast_component component;
  int tables;           // table set, among those of a content class
  int least_range[12];  // minimum range between fitted end points, by quantiser
} texcast_decoded_component;
#define TEXCAST_DECODE_ITEMS 128   // work-items in a group of reconstruct, at most: the sub-blocks of a tile
#define TEXCAST_DECODE_BUCKETS 32  // of a context's slots (codec/compact/decode/lookup_tables.h)

// A slice that is to be decoded.
typedef struct texcast_slice_to_decode {
  int tile, tiles;            // the first one, and how many beside each other
  int sub_slices, sub_slice;  // the number of sub-slices into which the tile is divided, and which of them it is
  int intra;                  // the slice is intra
  unsigned int first_word;    // index of the 16-bit word where its bytes begin
  unsigned int bytes;
  int first_part;  // its first tile or sub-slice, in the list of parts
} texcast_slice_to_decode;

// A tile of a slice, or a sub-slice, with the results of parsing.
typedef struct texcast_decoded_part {
  int slice, tile;
  int sub_slices, sub_slice;
  int intra;
  int is_valid;  // the whole slice is valid
  int quantiser;
  // Only block-coded slices have these.
  unsigned int copied;  // a bit for each partition whose sub-blocks are all motion copies
  int vectors[16];      // of partitions, x and y in half pixels
} texcast_decoded_part;

// The local memory in which a block-coded slice is parsed.
typedef struct texcast_block_parser {
  unsigned int states[16];     // of the sub-blocks above (neighbour_state.cl)
  unsigned int coded_rows[8];  // of the first component: a bit for each coded sub-block
  int vectors[16];             // of partitions, x and y in half pixels
} texcast_block_parser;
// The same of a transform slice.
typedef struct texcast_transform_parser {
  int vectors[2 * TEXCAST_MACROBLOCKS];      // of the tile's macroblocks so far, x and y in quarter pixels
  unsigned int masks[TEXCAST_MACROBLOCKS];   // their transform blocks that exist, as texcast_macroblock::coded
  unsigned int found[TEXCAST_COEFFICIENTS];  // levels other than 0 of a transform block: place << 16 | magnitude
  int tables[TEXCAST_TRANSFORM_COMPONENTS];  // of each component, counted from those of the first range and set
} texcast_transform_parser;

#define TEXCAST_PART_BLOCKS 96  // transform blocks of a part, at most
// A component of it. Transform blocks are numbered component by component, row by row, as in a part that lies in the
// picture completely.
typedef struct texcast_transform_plane {
  int x0, y0, columns, rows;  // sub-blocks in the picture; none if the part is not valid
  int blocks_x, blocks_y;     // of the whole plane
  int first, step;            // as those of texcast_component
  int across, down;
  int first_block;  // number of its first transform block
} texcast_transform_plane;
// A part of a transform slice, in local memory.
typedef struct texcast_transform_part {
  texcast_transform_plane planes[TEXCAST_TRANSFORM_COMPONENTS];
  texcast_macroblock macroblocks[TEXCAST_MACROBLOCKS];
  int blocks;  // transform blocks
} texcast_transform_part;
// The local memory of a group that reconstructs a part of a transform slice.
typedef struct texcast_transform_group {
  unsigned int texels[TEXCAST_PART_BLOCKS * 16];                  // of each transform block four sub-blocks, row by row
  int numbers[TEXCAST_TRANSFORM_DECODE_ITEMS / 8 * TEXCAST_TRANSFORM_AREA];  // transforms between their passes
  unsigned int windows[TEXCAST_TRANSFORM_DECODE_ITEMS / 8 * TEXCAST_WINDOW_WORDS];
  texcast_transform_part part;
  int kinds[TEXCAST_PART_BLOCKS];      // of each transform block: how it is reconstructed
  int predicted[TEXCAST_PART_BLOCKS];  // those that are predicted from the reference frame, in any order
  int predicted_count;
  unsigned int diagonals;  // a bit for each diagonal of transform blocks that has intra ones
  unsigned int flags;      // TEXCAST_DECODED_…
} texcast_transform_group;
// The local memory of a group that fits sub-blocks to the samples of a part.
typedef struct texcast_fit_group {
  texcast_transform_part part;
  int fitted[4 * TEXCAST_PART_BLOCKS];  // the sub-blocks that are fitted: 4 * transform block + which of its four
  int fitted_count;
  unsigned int flags;  // TEXCAST_DECODED_…
} texcast_fit_group;

// The result for a slice.
typedef struct texcast_decoded_slice {
  unsigned int flags;
  unsigned int check;  // of all its sub-blocks (compact::slice_check)
} texcast_decoded_slice;
#define TEXCAST_DECODED_VALID 1u              // its symbols are valid
#define TEXCAST_DECODED_INVALID_REFERENCE 2u  // it reads a tile of the reference frame that is not valid
#define TEXCAST_DECODED_CHANGED 4u            // it differs from the reference frame

#endif
