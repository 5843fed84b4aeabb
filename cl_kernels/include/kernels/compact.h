// compact.h — compact streams (docs/compact.md) by kernels: what host and kernels agree on. Plain C; 4-byte members
// only.
#ifndef TEXCAST_KERNELS_COMPACT_H
#define TEXCAST_KERNELS_COMPACT_H

// compact::SubBlockKind
#define TEXCAST_COLOR 0
#define TEXCAST_FOUR_COLOR 1
#define TEXCAST_CHANNEL 2

// Contexts (codec/compact/contexts.h, which the host holds these against): the first of each group.
#define TEXCAST_VECTOR_CONTEXT 0
#define TEXCAST_DISTANCE_CONTEXT 4
#define TEXCAST_KIND_CONTEXT 40
#define TEXCAST_ENDS_CONTEXT 88
#define TEXCAST_DIFFERENCE_CONTEXT 120
#define TEXCAST_INDICES_CONTEXT 936
#define TEXCAST_LEVEL_CONTEXT 1260
#define TEXCAST_RANKS_CONTEXT 1261
#define TEXCAST_FAR_RANK_CONTEXT 1461
#define TEXCAST_LEVELS_CONTEXT 1466
#define TEXCAST_FLAT_CONTEXT 1551
#define TEXCAST_CONTEXTS 1555
// Of lossy units.
#define TEXCAST_AREA_CONTEXT 1555
#define TEXCAST_AREA_MOVED 4
#define TEXCAST_LOSSY_KIND_CONTEXT 1567
#define TEXCAST_TEXEL_LEVEL_CONTEXT 1647
#define TEXCAST_LOSSY_CONTEXTS 1755
#define TEXCAST_CONTENTS 3  // of which each has tables of its own (compact::Content)
#define TEXCAST_SCREEN 1
#define TEXCAST_FOREIGN_BITS 60  // what pixels before have to be off by, worth so many bits, to be of little help

// Half-blocks of one kind in one plane (compact::Component).
typedef struct texcast_component {
  int kind;
  int blocks_x, blocks_y;
  int across, down;             // pixels of the picture to a texel
  int first, step;              // in 8 bytes: the first half-block's place, and from one to the next
  int tile_columns, tile_rows;  // half-blocks in a tile, at most
  int tiles_across;
  int places_shift;  // of a half-block's hash, for its bucket
} texcast_component;

// A unit: a tile's number; how many strips as the power of 2, and which one; whether nothing of the frame before
// counts.
#define TEXCAST_UNIT_TILE 0xFFFFFFu
#define TEXCAST_UNIT_STRIPS_AT 24
#define TEXCAST_UNIT_STRIP_AT 26
#define TEXCAST_UNIT_ALONE 0x80000000u

// Of a half-block, what does not depend on those before it in its unit. The costs are in 1/32 bits.
#define TEXCAST_GUESSES 4  // of end points: the one before, left, above, fitted, as their modes follow each other
typedef struct texcast_facts {
  unsigned int flags;        // TEXCAST_FACT_…
  unsigned int value[2];     // the 8 bytes
  unsigned int before_ends;  // end points of the one before
  unsigned int fitted;       // those fitted to the pixels at the vector
  unsigned int jump;         // in half-blocks: x in the lower 16 bits, y in the upper
  unsigned int prices;       // of the jump in the lower 16 bits, 0xFFFF where there is none; of indices alone above
  unsigned int near[2];      // of ranks in group 0, 1 and 2, 3
  unsigned int ranks[2];     // of texels: of colours 2 bits each, of channels 3 bits each, eight texels a number
  unsigned int counts;       // of symbols, 5 bits each: of the guesses' differences; ranks of 3 or more; those alone
  unsigned int largest;      // 2 bits each: the largest class of the guesses' differences
  unsigned int distance[2];  // 16 bits each: about what they cost; 0xFFFF: there is no such guess
  unsigned int guess[TEXCAST_GUESSES][2];  // and what, with neighbours' class 0 and 1, 2 and 3
  unsigned int unused;
} texcast_facts;

#define TEXCAST_FACT_MOVED (1u << 0)
#define TEXCAST_FACT_STAYED (1u << 1)  // is as it was in its place, whatever its vector
#define TEXCAST_FACT_LEFT (1u << 2)
#define TEXCAST_FACT_ABOVE (1u << 3)
#define TEXCAST_FACT_ENDS_BEFORE (1u << 4)
#define TEXCAST_FACT_ENDS_LEFT (1u << 5)
#define TEXCAST_FACT_ENDS_ABOVE (1u << 6)
#define TEXCAST_FACT_CONSTANT (1u << 7)
#define TEXCAST_FACT_INDICES_BEFORE (1u << 8)
#define TEXCAST_FACT_INDICES_LEFT (1u << 9)
#define TEXCAST_FACT_INDICES_ABOVE (1u << 10)
#define TEXCAST_FACT_PREDICTED (1u << 11)
#define TEXCAST_FACT_FAR (1u << 12)     // indices alone may be worth a look
#define TEXCAST_FACT_VECTOR (1u << 13)  // it is not zero
#define TEXCAST_FACT_LEVEL_AT 16        // 3 bits: of texel 0

// Of a half-block, what the walk chose: kind 3 bits, end points' mode 4, indices' mode 4, then contexts: kind 6, end
// points 5, neighbours' class 2; in the second number indices 9, and from bit 16 on where its symbols begin in the
// unit.
#define TEXCAST_CHOICE_ENDS_AT 3
#define TEXCAST_CHOICE_INDICES_AT 7
#define TEXCAST_CHOICE_KIND_CONTEXT_AT 11
#define TEXCAST_CHOICE_ENDS_CONTEXT_AT 17
#define TEXCAST_CHOICE_NEIGHBOURS_AT 22
#define TEXCAST_CHOICE_SYMBOLS_AT 16

// A unit that was coded.
#define TEXCAST_JUMPS 15
typedef struct texcast_coded_unit {
  unsigned int first;    // symbol, in the list of all
  unsigned int end[4];   // of each component's symbols, counted from there
  unsigned int touched;  // tiles that jumps led to; more than TEXCAST_JUMPS: some are not named
  unsigned int touched_tiles[TEXCAST_JUMPS];
  unsigned int vectors[8];  // of its areas: x in the lower 16 bits, y in the upper
  unsigned int words;       // of 16 bits; 0: there is no room
  unsigned int first_word;  // in the list of all
  unsigned int unused;
} texcast_coded_unit;

// Of a tile of a lossy stream: half-blocks in it are others than those given before; below it a bit for each area of
// the first component.
#define TEXCAST_CHANGED (1u << 8)

// A component of a lossy stream.
typedef struct texcast_lossy_component {
  texcast_component component;
  int weight;           // of squared differences
  int least_range[12];  // between fitted end points, by quantiser
} texcast_lossy_component;

// A tile of a lossy stream that is to be chosen.
typedef struct texcast_lossy_tile {
  int tile;
  int content;  // whose tables are taken (compact::Content)
  int alone;    // nothing of the frame before counts
  int lambda, quantiser;
  int candidates, refits, least_saved;  // compact::SearchEffort
  unsigned char lambda_parts[8];        // of its areas: of lambda, in 16ths
  // For the search: what a longer vector has to save; what the tile voted for, x and y in pixels; a bit for each area
  // in which something changed.
  int vector_price;
  int own[2];
  unsigned int changed_areas;
  int vectors[16];  // of its areas, x and y in halves of a pixel
} texcast_lossy_tile;

// A tile of a lossy stream of which it is asked how much there is to tell (codec/compact/complexity.h).
typedef struct texcast_lossy_look {
  int tile;
  int alone;       // by itself
  int vectors[2];  // what it voted for, x and y in pixels
  int usual[16];   // of its areas, as they were in the frame before
  unsigned int detail;
  unsigned int is_anew;
} texcast_lossy_look;

// Of a half-block, what does not depend on those before it in its tile.
typedef struct texcast_lossy_facts {
  unsigned int pixels[4];     // of the frame before at the vector, a byte each
  unsigned int moved[2];      // the 8 bytes of what is moved there
  unsigned int at_vector[2];  // of the half-block of the frame before that is nearest to the vector
  int moved_loss, stayed_loss;
  int left_loss, above_loss;  // of what is moved there
  unsigned int sums;          // of source texels and, below TEXCAST_LOSSY_SUM_AT, of their squares
  int off;                    // pixels, from the source
  unsigned int ends;          // fitted to the pixels; from bit 16 on the block encoder's
  int lighter;                // source than pixels, by the mean
} texcast_lossy_facts;
#define TEXCAST_LOSSY_SUM_AT 20
#define TEXCAST_LOSSY_FACTS_ITEMS 128  // of a work-group that finds them: the half-blocks of a tile, at most

// What was chosen for a half-block.
typedef struct texcast_lossy_choice {
  unsigned int modes;     // kind, end points' and indices' mode, 4 bits each; then two differences
  unsigned int contexts;  // counted from their groups' first: kind 7 bits, end points 5, neighbours' class 2, indices 9
  unsigned int ranks[2];  // of texels, 4 bits each
} texcast_lossy_choice;
#define TEXCAST_LOSSY_DIFFERENCE_AT 12
#define TEXCAST_LOSSY_DIFFERENCE_BITS 10

// Where the symbols of a tile are.
#define TEXCAST_LOSSY_UNTOLD 0xFFFFFFFFu  // they have no room
typedef struct texcast_lossy_told {
  unsigned int first;
  unsigned int end[4];      // of each component's, counted from there
  unsigned int content;     // whose tables they take least with
  unsigned int most_words;  // of 16 bits, that the tile may have coded
  unsigned int words;       // 0: there is no room
  unsigned int first_word;  // in the list of all
} texcast_lossy_told;

// A component whose half-blocks are rebuilt from units.
typedef struct texcast_rebuilt_component {
  texcast_component component;
  int tables;           // which set of a content's
  int least_range[12];  // between fitted end points, by quantiser
} texcast_rebuilt_component;
#define TEXCAST_REBUILD_ITEMS 128   // of a work-group that rebuilds: the half-blocks of a tile, at most
#define TEXCAST_REBUILD_BUCKETS 32  // of a context's slots (codec/compact/lookup_tables.h)

// A unit that is to be rebuilt.
typedef struct texcast_unit_to_rebuild {
  int tile, tiles;          // the first one, and how many beside each other
  int strips, strip;        // into which it is cut, and which one
  int alone;                // nothing of the frame before counts
  unsigned int first_word;  // its bytes begin at, in 16 bits
  unsigned int bytes;
  int first_part;  // its tiles
} texcast_unit_to_rebuild;

// A tile of a unit, or a strip, as its symbols tell it.
typedef struct texcast_rebuilt_part {
  int unit, tile;
  int strips, strip;
  int alone;
  int is_good;  // the whole unit is
  int quantiser;
  unsigned int moved;  // a bit for each area all of whose half-blocks are
  int vectors[16];     // of areas, x and y in halves of a pixel
} texcast_rebuilt_part;

// What came of a unit.
typedef struct texcast_rebuilt_unit {
  unsigned int flags;
  unsigned int check;  // of all its half-blocks (compact::slice_check)
} texcast_rebuilt_unit;
#define TEXCAST_REBUILT_GOOD 1u
#define TEXCAST_REBUILT_WRONG 2u    // a tile of the frame before that it reads is not right
#define TEXCAST_REBUILT_CHANGED 4u  // it is not as it was in the frame before

#endif
