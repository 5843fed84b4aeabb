// macroblock_trials.h — codes a macroblock of a transform slice in trials, and measures D + lambda R of each. D is that
// of the samples, to which later frames refer: no trial needs the fit.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "compact/macroblock_symbols.h"
#include "compact/tables.h"
#include "compact/transform_lambda.h"
#include "compact/transform_reconstruction.h"
#include "transform_costs.h"
#include "transform_levels.h"
#include "transform_quantiser.h"
#include "transform_source.h"

namespace texcast::compact {

// The weights of squared errors of Y, Co and Cg, for each sample.
inline constexpr std::array<int, kTransformComponents> kSampleWeights{kLumaWeight, 32, 48};  // multiples of 8

// A macroblock as a trial coded it.
struct MacroblockTrial {
  Macroblock macroblock;
  MacroblockLevels levels;                              // only those of blocks in macroblock.coded
  int64_t score = std::numeric_limits<int64_t>::max();  // 32 D + lambda R, with R in 1/32 bits
};

using MacroblockPrediction = std::array<MacroblockTexels, kTransformComponents>;

class MacroblockTrials {
 public:
  struct Context {
    const TileGrid& grid;
    const TransformSource& source;
    const Quantisation& quantisation;
    const MacroblockNeighbours& neighbours;
    std::array<const CodingTables*, kTransformComponents> tables;
    bool rounds = false;  // levels come from round_levels()
  };
  MacroblockTrials(const Context& context, TransformReconstruction& reconstruction);

  // Goes to a macroblock. `lambda`: for a bit.
  void begin(int column, int row, int lambda);
  // The macroblock's blocks in a component.
  const TransformBlocks& blocks(int component) const { return blocks_[static_cast<size_t>(component)]; }

  // At the predicted vector MacroblockMode::inter or skip, whichever is better, and otherwise inter_coded.
  void inter(const MacroblockPrediction& prediction, const MotionVector& vector, MacroblockTrial& trial);
  // The weighted squared errors of a prediction.
  int64_t distortion(const MacroblockPrediction& prediction) const;
  // Overwrites the macroblock's samples in the reconstruction. Stops if the score exceeds `most`, and leaves a larger
  // one.
  void intra(MacroblockMode mode, int64_t most, MacroblockTrial& trial);

 private:
  struct Block {
    int component, i;
  };
  int x_of_component(int component) const { return column_ * kMacroblockSide / with_.grid.component(component).across; }
  int y_of_component(int component) const { return row_ * kMacroblockSide / with_.grid.component(component).down; }
  const uint8_t* source_of(const Block& block) const {
    const auto [c, i] = block;
    return with_.source.at(c, x_of_component(c) + transform_block_x(i), y_of_component(c) + transform_block_y(i));
  }
  // Returns the squared error of the prediction.
  int subtract(const Block& block, const MacroblockTexels& prediction, Residual& residual) const;
  LevelRate rate_of(const Block& block, bool intra) const;
  int code(const Block& block, const Residual& residual, bool intra, MacroblockTrial& trial) const;
  // The squared error of prediction plus residual.
  int coded_squares(const Block& block, const MacroblockTexels& prediction, const Residual& residual) const;
  // Codes a transform block of `trial` with or without coefficients, whichever has the lower score, which is returned.
  // `residual` becomes that of the levels if it is coded. `uncoded`: the score without coefficients.
  int64_t choose_block(const Block& block, const MacroblockTexels& prediction, bool intra, MacroblockTrial& trial,
                       Residual& residual, int64_t& uncoded) const;
  int64_t round_block(const Block& block, int64_t without, bool intra, MacroblockTrial& trial,
                      Residual& residual) const;
  int header_cost(const Macroblock& macroblock) const;
  template <typename Call>
  void for_each_block(const Call& call) const {
    for (int c = 0; c < kTransformComponents; ++c)
      for (int i = 0; i < kMostTransformBlocks; ++i)
        if (blocks_[static_cast<size_t>(c)].has(i)) call(Block{c, i});
  }

  const Context with_;
  TransformReconstruction& reconstruction_;
  int column_ = 0, row_ = 0, lambda_ = 0;
  std::array<TransformBlocks, kTransformComponents> blocks_;
  std::array<uint8_t, kTransformComponents> masks_{};
  // The bits that a transform block with coefficients needs at least, in 1/32: in inter and in intra macroblocks.
  std::array<std::array<int, 2>, kTransformComponents> least_bits_{};
};

}  // namespace texcast::compact
