#include "transform_slices.h"

#include <algorithm>

#include "compact/macroblock_grid.h"
#include "compact/macroblock_symbols.h"
#include "compact/rans.h"

namespace transform_slices {

using namespace texcast;
using namespace texcast::compact;

namespace {

// More than a macroblock has symbols: coefficients with a magnitude, an escape, four literals and a sign each.
constexpr size_t kMostSymbols = 3 * 4 * 64 * 7 + 100;

class Writer {
 public:
  Writer(const TileGrid& grid, int quantiser) {
    for (int c = 0; c < kTransformComponents; ++c)
      tables_[static_cast<size_t>(c)] = &transform_tables(transform_range(quantiser), grid.component(c).tables);
    use(0);
  }
  void use(int component) { now_ = tables_[static_cast<size_t>(component)]; }
  void make_room() { list_.make_room(kMostSymbols); }
  void put(int context, int symbol) { list_.put(*now_, context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> memory(1 << 20);
    const size_t used = list_.write(memory, kLossyEndState);
    return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
  }

 private:
  std::array<const CodingTables*, kTransformComponents> tables_{};
  const CodingTables* now_ = nullptr;
  SymbolList list_;
};

int up_to(std::mt19937& random, int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); }

int random_level(std::mt19937& random, Levels kind) {
  const int sign = random() % 2 == 0 ? 1 : -1;
  switch (kind) {
    case Levels::few: return random() % 4 == 0 ? sign * up_to(random, 3) : 0;
    case Levels::many: return sign * up_to(random, random() % 8 == 0 ? 300 : 20);
    default: return sign * (random() % 2 == 0 ? 32767 - up_to(random, 2) : up_to(random, 32767));
  }
}
TransformLevels random_levels(std::mt19937& random, Levels kind) {
  TransformLevels levels{};
  const int last = up_to(random, kind == Levels::few ? 12 : 63);
  for (int i = 0; i <= last; ++i)
    levels[kZigzag.at[static_cast<size_t>(i)]] = static_cast<int16_t>(random_level(random, kind));
  int16_t& at_last = levels[kZigzag.at[static_cast<size_t>(last)]];
  if (at_last == 0) at_last = 1;
  return levels;
}

MotionVector random_difference(std::mt19937& random, int furthest) {
  const auto part = [&] { return up_to(random, 2 * furthest) - furthest; };
  MotionVector vector{part(), part()};
  if (random() % 4 == 0) vector = {vector.x & ~31, vector.y & ~31};
  if (random() % 8 == 0) vector = {};
  return vector;
}

Coded random_macroblock(std::mt19937& random, const Wishes& wishes, const MotionVector& predictor,
                        const std::array<uint8_t, kTransformComponents>& masks) {
  Coded coded{};
  Macroblock& macroblock = coded.macroblock;
  const int least = wishes.intra ? static_cast<int>(MacroblockMode::intra_dc) : 0;
  macroblock.mode = static_cast<MacroblockMode>(least + up_to(random, kMacroblockModes - 1 - least));
  // Vectors of their own are frequent, so that predictors are medians of different ones.
  if (!wishes.intra && random() % 2 == 0) macroblock.mode = MacroblockMode::inter_coded;
  macroblock.vector = predictor;
  if (macroblock.mode == MacroblockMode::skip) return coded;
  if (macroblock.mode == MacroblockMode::inter_coded) {
    const MotionVector difference = random_difference(random, wishes.furthest);
    macroblock.vector = {predictor.x + difference.x, predictor.y + difference.y};
  }
  for (size_t c = 0; c < kTransformComponents; ++c) {
    macroblock.coded[c] = static_cast<uint8_t>(random() % 3 == 0 ? 0 : random() & masks[c]);
    for (size_t i = 0; i < kMostTransformBlocks; ++i)
      if ((macroblock.coded[c] >> i & 1) != 0) coded.levels[c][i] = random_levels(random, wishes.levels);
  }
  return coded;
}

}  // namespace

std::vector<std::byte> random_slice(const TileGrid& grid, const Slice& slice, const Wishes& wishes,
                                    std::mt19937& random, std::vector<Coded>* all) {
  Writer writer(grid, wishes.quantiser);
  const auto use = [&](int component) { writer.use(component); };
  writer.make_room();
  put_transform_header(writer, wishes.intra, wishes.quantiser);
  for (uint32_t tile = 0; tile < slice.tiles; ++tile) {
    const MacroblockGrid geometry(grid, slice.only(tile));
    MacroblockNeighbours neighbours{.intra_slice = wishes.intra, .columns = geometry.columns()};
    for (int row = 0; row < geometry.rows(); ++row)
      for (int column = 0; column < geometry.columns(); ++column) {
        const auto masks = geometry.masks(column, row);
        const Coded coded = random_macroblock(random, wishes, neighbours.predictor(column, row), masks);
        writer.make_room();
        put_macroblock(writer, use, neighbours, column, row, masks, coded.macroblock);
        for (size_t c = 0; c < kTransformComponents; ++c) {
          use(static_cast<int>(c));
          for (size_t i = 0; i < kMostTransformBlocks; ++i)
            if ((coded.macroblock.coded[c] >> i & 1) != 0)
              put_levels(writer, is_intra(coded.macroblock.mode), coded.levels[c][i]);
        }
        neighbours.add(coded.macroblock, column, row);
        if (all != nullptr) all->push_back(coded);
      }
  }
  return writer.bytes();
}

Wishes random_wishes(bool intra, std::mt19937& random) {
  constexpr int kFurthest[] = {0, 3, 40, 300, 16383};
  constexpr int kQuantisers[] = {0, 15, 16, 24, 25, kMostTransformQuantiser};
  return {.intra = intra,
          .quantiser = random() % 3 == 0 ? kQuantisers[random() % 6] : up_to(random, kMostTransformQuantiser),
          .levels = static_cast<Levels>(random() % 8 == 0 ? 2 : random() % 2),
          .furthest = kFurthest[random() % 5]};
}

}  // namespace transform_slices
