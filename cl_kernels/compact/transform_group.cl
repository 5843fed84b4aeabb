// transform_group.cl — the work-group that decides the macroblocks of a tile: its local memory, and the geometry of a
// macroblock.
//   defines      CHANNEL=1; ACROSS, DOWN: pixels for one texel of Co and Cg; DECIDE_ITEMS: items of the group
#include "compact/partition.cl"
#include "compact/transform_samples.cl"
#include "compact/transform_syntax.cl"

#ifndef DECIDE_ITEMS
#define DECIDE_ITEMS 128
#endif
#ifndef ACROSS
#define ACROSS 2
#define DOWN 2
#endif

#define COMPONENTS TEXCAST_TRANSFORM_COMPONENTS
#define CHROMA_COLUMNS (2 / ACROSS)  // transform blocks of a macroblock in Co and in Cg
#define CHROMA_BLOCKS (CHROMA_COLUMNS * (2 / DOWN))
#define BLOCKS (4 + 2 * CHROMA_BLOCKS)  // transform blocks of a macroblock
#define SLOTS (2 * BLOCKS)              // that are coded at once
// Trials of a macroblock, in their order: inter at the vector and at the predicted one, then the intra modes.
#define TRIALS 6
#define FIRST_INTRA 2
#define INTRA_MODES 4
#define CANDIDATES 8  // vectors whose SADs are computed at once

// The passes in which trials are coded: three for the intra modes, and then one for both inter trials.
#define INTER_PASS 3
#define PASSES 4
// The transform blocks of each intra pass, 4 bits each. They need no sample of each other: the first one of each
// component; then the one on its right and the one below; then the last one.
#define NO_BLOCK 15
#if CHROMA_BLOCKS == 1
#define INTRA_BLOCKS ((uint3)(0xFFFFF540u, 0xFFFFFF21u, 0xFFFFFFF3u))
#elif CHROMA_BLOCKS == 2
#define INTRA_BLOCKS ((uint3)(0xFFFFF640u, 0xFFFF7521u, 0xFFFFFFF3u))
#else
#define INTRA_BLOCKS ((uint3)(0xFFFFF840u, 0xFFA96521u, 0xFFFFFB73u))
#endif

// The tile in a component. Numbers count sub-blocks.
typedef struct plane_view {
  int first;               // position of the texture's first sub-block
  int blocks_x, blocks_y;  // of the whole plane
  int x, y, columns, rows;
  int plane, samples;  // where the padded plane of the reference frame and the plane of samples begin, in 4 bytes
} plane_view;
// The sub-blocks of the macroblock in the plane of a component; `columns` and `rows` may be 0.
typedef struct plane_part {
  int x, y, columns, rows;
} plane_part;

typedef struct trial_memory {
  long score;       // 32 D + lambda R, with R in 1/32 bits
  int mode, coded;  // as in texcast_macroblock
  int vector[2];
} trial_memory;

// Numbers of a transform block in local memory: eight rows of eight. Eight more let items that access the columns of
// four blocks beside each other access different banks.
typedef struct block_numbers {
  short8 rows[9];
} block_numbers;

typedef struct group_memory {
  block_numbers residual[SLOTS];  // the residual's transform between its passes, and its coefficients; then what the
                                  // levels give; then the samples with it, in the first half of each row
  block_numbers levels[SLOTS];
  uint2 prediction[SLOTS][8];  // rows of samples
  uint2 source[BLOCKS][8];     // rows of texels
  long scores[SLOTS];          // of transform blocks, with or without coefficients
  long uncoded_scores[SLOTS];  // without
  trial_memory trials[TRIALS];
  plane_view views[COMPONENTS];
  plane_part parts[COMPONENTS];
  int before[SLOTS], after[SLOTS];  // squares of the errors of samples without coefficients, and with them
  int last[SLOTS], bits[SLOTS];     // the last place in the scan with a level, or -1; the bits of all levels
  int totals[CANDIDATES], with_bits[CANDIDATES];
  int sums[4], intra_difference;         // luma's transform blocks: sums of texels; the difference from their means
  int vectors[2 * TEXCAST_MACROBLOCKS];  // of the macroblocks so far
  uchar classes[TEXCAST_MACROBLOCKS];    // compact::mode_class()
  uchar has_luma[TEXCAST_MACROBLOCKS];   // 1: luma coefficients
  uchar coded[SLOTS];                    // 1: coefficients pay
  // Samples around the macroblock: the row above it in the whole tile, and the column on its left. In intra trials also
  // the last column of the transform blocks on the left, and the last row of the upper ones.
  uchar above[COMPONENTS][64], left[COMPONENTS][16];
  uchar inner_left[INTRA_MODES][COMPONENTS][16], inner_above[INTRA_MODES][COMPONENTS][16];
} group_memory;
// A row of a transform block in an intra trial.
typedef struct trial_row {
  short8 levels;  // only of blocks with coefficients
  uint2 samples, unused;
} trial_row;
typedef char trial_row_fits[sizeof(trial_row) == TEXCAST_INTRA_ROW_BYTES ? 1 : -1];

// The SADs of rows lie where the residual is later.
static local int *sads_of(local group_memory *m) { return (local int *)m->residual; }
typedef char sads_fit[sizeof(int) * CANDIDATES * 16 <= sizeof(block_numbers) * SLOTS ? 1 : -1];
#ifdef GROUP_BYTES
typedef char group_memory_fits[sizeof(group_memory) <= GROUP_BYTES ? 1 : -1];
#endif

// The tile, and where its macroblock lies.
typedef struct macroblock_place {
  int column, row, number;  // in the tile
  int columns, rows;        // macroblocks of the tile
  int lambda;               // for a bit
  bool is_intra_slice;
} macroblock_place;

// Memory that the kernel reads.
typedef struct decision_input {
  global const uint4 *texels;
  global const uint *planes;   // of the reference frame (transform_planes.cl)
  global const ushort *costs;  // of the tile's range
  int bit_cost;                // the SAD that a bit has to save, in 1/32
} decision_input;

// Transform blocks are numbered in the order in which they are coded, component by component.
static int component_of(int block) { return block < 4 ? 0 : 1 + (block - 4) / CHROMA_BLOCKS; }
// Its column and row in the macroblock, in transform blocks.
static int column_of(int block) { return block < 4 ? block & 1 : (block - 4) % CHROMA_COLUMNS; }
static int row_of(int block) {
  return block < 4 ? block >> 1 : ((block - 4) & (CHROMA_BLOCKS - 1)) / CHROMA_COLUMNS;
}
// Its bit in texcast_macroblock, or its place in the list of levels.
static int number_of(int block) { return 4 * component_of(block) + 2 * row_of(block) + column_of(block); }
static bool has_block(local const group_memory *m, int block) {
  local const plane_part *part = m->parts + component_of(block);
  return 2 * column_of(block) < part->columns && 2 * row_of(block) < part->rows;
}
// Whether part 0 to 3 of the transform block, a sub-block, lies in the tile.
static bool has_part(local const group_memory *m, int block, int number) {
  local const plane_part *part = m->parts + component_of(block);
  return 2 * column_of(block) + (number & 1) < part->columns && 2 * row_of(block) + (number >> 1) < part->rows;
}
static int sample_weight(int component) { return component == 1 ? 32 : 48; }
static long block_weight(int block) { return 32 * sample_weight(component_of(block)); }

static int2 vector_of(local const int *vectors, int i) { return (int2)(vectors[2 * i], vectors[2 * i + 1]); }

// Sets the place of a tile in a component.
static void find_view(local plane_view *v, global const texcast_lossy_component *components, int number, int tile) {
  const texcast_component c = components[number].component;
  const int2 origin = tile_origin(&c, (uint)tile);
  v->first = c.first;
  v->blocks_x = c.blocks_x;
  v->blocks_y = c.blocks_y;
  v->x = origin.x;
  v->y = origin.y;
  v->columns = clamp(c.blocks_x - origin.x, 0, c.tile_columns);
  v->rows = clamp(c.blocks_y - origin.y, 0, c.tile_rows);
  v->plane = first_of_padded(components, number);
  v->samples = first_of_plane(components, number);
}
// Sets the place of the macroblock in a component.
static void find_part(local group_memory *m, int number, const macroblock_place *at) {
  local const plane_view *v = m->views + number;
  const int columns = number == 0 ? 4 : 4 / ACROSS, rows = number == 0 ? 4 : 4 / DOWN;
  m->parts[number].x = v->x + at->column * columns;
  m->parts[number].y = v->y + at->row * rows;
  m->parts[number].columns = clamp(v->columns - at->column * columns, 0, columns);
  m->parts[number].rows = clamp(v->rows - at->row * rows, 0, rows);
}
