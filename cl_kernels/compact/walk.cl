// walk.cl — half-block by half-block of a unit what costs least, given those before it: the kind, where end points and
// indices come from; and how many symbols that takes.
//   work-group   WALK_ITEMS items, one a tile that is due; global rounded up. A component a launch, in order
//   in   before, c, due, due_count, field, cost, facts   as facts.cl
//   out  choices   uint2[tile that is due][half-block]: TEXCAST_CHOICE_…
//        units     texcast_unit_symbols[tile that is due]
//        total     symbols of all units, 0 before the first component
//   local traces   ushort[16 · WALK_ITEMS]: of the row above
//   defines        CHANNEL, WALK_ITEMS
#include "compact/syntax.cl"

#define NEVER 0x1FFFFFFF

// What the next half-blocks need to know of one (Trace in codec/compact/contexts.h), 0 where there is none.
static uint trace_kind(uint trace) { return trace & 3; }
static uint trace_ends(uint trace) { return trace >> 2 & 3; }
static uint trace_indices(uint trace) { return trace >> 4 & 15; }
static uint trace_difference(uint trace) { return trace >> 8; }
static uint trace_of_coded(int ends, int indices, uint largest) {
  const uint of_ends = ends == ENDS_BEFORE ? 1 : ends == ENDS_NEAR_BEFORE ? 3 : 2;
  const uint of_indices = indices == INDICES_PREDICTED  ? 1
                          : indices == INDICES_CONSTANT ? 2
                          : indices < INDICES_NEAR      ? 3
                          : indices < INDICES_ALONE     ? (uint)(4 + indices - INDICES_NEAR)
                                                        : 8;
  return (indices < INDICES_NEAR ? 2 : 3) | of_ends << 2 | of_indices << 4 | largest << 8;
}

// The cheapest so far; of equals the first.
typedef struct choice {
  int price, what;
} choice;
static void offer(choice *c, global const ushort *row, int what, int more) {
  const int price = row[what] + more;
  if (price < c->price) {
    c->price = price;
    c->what = what;
  }
}

static void touch(global texcast_unit_symbols *unit, uint tile) {
  const uint count = unit->touched;
  if (count > TEXCAST_JUMPS) return;
  for (uint i = 0; i < count; ++i)
    if (unit->touched_tiles[i] == tile) return;
  if (count < TEXCAST_JUMPS) unit->touched_tiles[count] = tile;
  unit->touched = count + 1;
}

kernel __attribute__((reqd_work_group_size(WALK_ITEMS, 1, 1)))
void walk_units(global const ulong *before, const texcast_component c, global const uint *due, uint due_count,
                global const int2 *field, global const ushort *cost, global const texcast_facts *facts,
                global uint2 *choices, global texcast_unit_symbols *units, volatile global uint *total, int component,
                int components, local ushort *traces) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= due_count) return;
  local ushort *above_traces = traces + get_local_id(0);
  const int tile = (int)(due[slot] & TEXCAST_TILE_NUMBER);
  const bool alone = (due[slot] & TEXCAST_TILE_ALONE) != 0;
  const int tile_y = tile / c.tiles_across, tile_x = tile - tile_y * c.tiles_across;
  const int x0 = tile_x * c.tile_columns, y0 = tile_y * c.tile_rows;
  const int columns = clamp(c.blocks_x - x0, 0, c.tile_columns), rows = clamp(c.blocks_y - y0, 0, c.tile_rows);
  global texcast_unit_symbols *unit = units + slot;
  uint symbols = 0;
  if (component == 0) {
    unit->touched = 0;
    field += tile * 8;
    for (int area = 0; area < 8; ++area) unit->vectors[area] = pack_vector(alone ? (int2)(0, 0) : field[area]);
    if (!alone) {
      for (int y = 0; y < (rows + 3) / 4; ++y) {
        for (int x = 0; x < (columns + 3) / 4; ++x) {
          const int2 v = area_vector(field, y * 4 + x);
          const int2 left = x > 0 ? area_vector(field, y * 4 + x - 1) : (int2)(0, 0);
          const int2 above = y > 0 ? area_vector(field, y * 4 + x - 4) : (int2)(0, 0);
          int context;
          symbols += area_symbol(v, left, above, &context) == 3 ? 1 + (uint)vector_symbols(v) : 1;
        }
      }
    }
  } else {
    symbols = unit->end[component - 1];
  }

  uint recent0 = 0x0000FFFF, recent1 = 0xFFFF0000, recent2 = 0, recent3 = 0;
  int2 jump = (int2)(0, 0);
  for (int row = 0; row < rows; ++row) {
    uint left = 0;
    for (int column = 0; column < columns; ++column) {
      const uint at = slot * (uint)(c.tile_columns * c.tile_rows) + (uint)(row * c.tile_columns + column);
      global const texcast_facts *f = facts + at;
      const uint flags = f->flags;
      const ulong value = (ulong)f->value[0] | (ulong)f->value[1] << 32;
      const int x = x0 + column, y = y0 + row;
      const uint above = row > 0 ? above_traces[column * WALK_ITEMS] : 0;
      const uint begin = symbols;
      const bool moves = (flags & TEXCAST_FACT_VECTOR) != 0;
      const int kind_context = TEXCAST_KIND_CONTEXT + (alone ? 32 : moves ? 0 : 16) +
                               (int)(trace_kind(left) * 4 + trace_kind(above));
      global const ushort *kind_row = cost + kind_context * 16;
      choice kind = {NEVER, KIND_CODED}, ends_mode = {NEVER, 0}, indices_mode = {NEVER, 0};
      int ends_context = 0, indices_context = 0;
      uint neighbours = 0, trace = 0;
      if (!alone) {
        if ((flags & TEXCAST_FACT_MOVED) != 0) offer(&kind, kind_row, KIND_MOVED, 0);
        if (moves && (flags & TEXCAST_FACT_STAYED) != 0) offer(&kind, kind_row, KIND_STAYED, 0);
        const bool is_there = (jump.x | jump.y) == 0 ? (flags & TEXCAST_FACT_STAYED) != 0
                                                     : has_place(&c, x + jump.x, y + jump.y) &&
                                                           before[place_of(&c, x + jump.x, y + jump.y)] == value;
        if (is_there) offer(&kind, kind_row, KIND_JUMPED_ON, 0);
      }
      if ((flags & TEXCAST_FACT_LEFT) != 0) offer(&kind, kind_row, KIND_LEFT, 0);
      if ((flags & TEXCAST_FACT_ABOVE) != 0) offer(&kind, kind_row, KIND_ABOVE, 0);
      ++symbols;
      const uint ends = ends_of(value);
      bool pushes = kind.what == KIND_JUMPED_ON;
      if (kind.what == KIND_CODED) {
        // End points.
        ends_context = TEXCAST_ENDS_CONTEXT + (alone ? 16 : 0) + (int)(trace_ends(left) * 4 + trace_ends(above));
        global const ushort *ends_row = cost + ends_context * 16;
        neighbours = max(trace_difference(left), trace_difference(above));
        if ((flags & TEXCAST_FACT_ENDS_BEFORE) != 0) offer(&ends_mode, ends_row, ENDS_BEFORE, 0);
        if ((flags & TEXCAST_FACT_ENDS_LEFT) != 0) offer(&ends_mode, ends_row, ENDS_LEFT, 0);
        if ((flags & TEXCAST_FACT_ENDS_ABOVE) != 0) offer(&ends_mode, ends_row, ENDS_ABOVE, 0);
        const int place = ends == recent0 ? 0 : ends == recent1 ? 1 : ends == recent2 ? 2 : ends == recent3 ? 3 : -1;
        if (place >= 0) offer(&ends_mode, ends_row, ENDS_RECENT + place, 0);
        uint largest = 0, of_difference = 0;
        const uint counts = f->counts;
        if (ends_mode.price == NEVER) {
          const uint guesses = f->guesses;
          const int count = (int)(guesses >> 24);
          for (int n = 0; n < count; ++n) {
            const int known = ends_mode.price;
            const uint prices = f->guess[n][neighbours >> 1];
            offer(&ends_mode, ends_row, (int)(guesses >> 4 * n & 15),
                  (int)((neighbours & 1) != 0 ? prices >> 16 : prices & 0xFFFF));
            if (ends_mode.price < known) {
              largest = guesses >> (16 + 2 * n) & 3;
              of_difference = counts >> 5 * n & 31;
            }
          }
        }
        // Indices.
        indices_context = TEXCAST_INDICES_CONTEXT + (alone ? 162 : 0) + (largest > 1 ? 81 : 0) +
                          (int)(trace_indices(left) * 9 + trace_indices(above));
        global const ushort *row_of = cost + indices_context * 16;
        if ((flags & TEXCAST_FACT_CONSTANT) != 0)
          offer(&indices_mode, row_of, INDICES_CONSTANT,
                price_of(cost, TEXCAST_LEVEL_CONTEXT, (int)(flags >> TEXCAST_FACT_LEVEL_AT & 7)));
        if ((flags & TEXCAST_FACT_INDICES_BEFORE) != 0) offer(&indices_mode, row_of, INDICES_BEFORE, 0);
        if ((flags & TEXCAST_FACT_INDICES_LEFT) != 0) offer(&indices_mode, row_of, INDICES_LEFT, 0);
        if ((flags & TEXCAST_FACT_INDICES_ABOVE) != 0) offer(&indices_mode, row_of, INDICES_ABOVE, 0);
        if ((flags & TEXCAST_FACT_PREDICTED) != 0) offer(&indices_mode, row_of, INDICES_PREDICTED, 0);
        if (indices_mode.price >= 3 * 32) {
          if (!alone) {
            const uint near01 = f->near[0], near23 = f->near[1];
            offer(&indices_mode, row_of, INDICES_NEAR, (int)(near01 & 0xFFFF));
            offer(&indices_mode, row_of, INDICES_NEAR + 1, (int)(near01 >> 16));
            offer(&indices_mode, row_of, INDICES_NEAR + 2, (int)(near23 & 0xFFFF));
            offer(&indices_mode, row_of, INDICES_NEAR + 3, (int)(near23 >> 16));
          }
          if ((flags & TEXCAST_FACT_FAR) != 0) offer(&indices_mode, row_of, INDICES_ALONE, (int)(f->prices >> 16));
        }
        // Or from elsewhere.
        kind.price = kind_row[KIND_CODED] + ends_mode.price + indices_mode.price;
        const int jump_price = (int)(f->prices & 0xFFFF);
        if (!alone && jump_price != 0xFFFF && kind.price > kind_row[KIND_JUMPED] + 8 * 32)
          offer(&kind, kind_row, KIND_JUMPED, jump_price);
        pushes = true;
        if (kind.what == KIND_JUMPED) {
          jump = unpack_vector(f->jump);
          symbols += (uint)vector_symbols(jump);
        } else {
          symbols += 2 + of_difference;
          if (indices_mode.what == INDICES_CONSTANT) ++symbols;
          if (indices_mode.what == INDICES_ALONE) symbols += 8 + (counts >> 25);
          if (indices_mode.what >= INDICES_NEAR && indices_mode.what < INDICES_ALONE) symbols += 8 + (counts >> 20 & 31);
          trace = trace_of_coded(ends_mode.what, indices_mode.what, largest);
        }
      }
      if (kind.what != KIND_CODED) trace = kind.what == KIND_MOVED ? 0 : 1;
      if (kind.what == KIND_JUMPED || kind.what == KIND_JUMPED_ON)
        touch(unit, (uint)((y + jump.y) / c.tile_rows * c.tiles_across + (x + jump.x) / c.tile_columns));
      if (pushes && ends != recent0) {
        if (ends != recent1) {
          if (ends != recent2) recent3 = recent2;
          recent2 = recent1;
        }
        recent1 = recent0;
        recent0 = ends;
      }
      above_traces[column * WALK_ITEMS] = (ushort)trace;
      left = trace;
      choices[at] = (uint2)((uint)kind.what | (uint)ends_mode.what << TEXCAST_CHOICE_ENDS_AT |
                                (uint)indices_mode.what << TEXCAST_CHOICE_INDICES_AT |
                                (uint)(kind_context - TEXCAST_KIND_CONTEXT) << TEXCAST_CHOICE_KIND_CONTEXT_AT |
                                (uint)max(ends_context - TEXCAST_ENDS_CONTEXT, 0) << TEXCAST_CHOICE_ENDS_CONTEXT_AT |
                                neighbours << TEXCAST_CHOICE_NEIGHBOURS_AT,
                            (uint)max(indices_context - TEXCAST_INDICES_CONTEXT, 0) | begin << TEXCAST_CHOICE_SYMBOLS_AT);
    }
  }
  unit->end[component] = symbols;
  if (component == components - 1) unit->first = atomic_add(total, symbols);
}
