// macroblock_trials.h — codes a macroblock of a transform slice in trials, and measures D + lambda R of each. D is that
// of the fitted blocks, which are what receivers show and what later frames refer to.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "compact/macroblock_symbols.h"
#include "compact/tables.h"
#include "compact/transform_lambda.h"
#include "compact/transform_reconstruction.h"
#include "transform_costs.h"
#include "transform_quantiser.h"
#include "transform_source.h"

namespace texcast::compact {

// The weights of squared errors of Y, Co and Cg, for each sample.
inline constexpr std::array<int, kTransformComponents> kSampleWeights{kLumaWeight, 32, 48};

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
  };
  MacroblockTrials(const Context& context, TransformReconstruction& reconstruction)
      : with_(context), reconstruction_(reconstruction) {}

  // Goes to a macroblock. `lambda`: for a bit.
  void begin(int column, int row, int lambda);

  // At the predicted vector MacroblockMode::inter or skip, whichever is better, and otherwise inter_coded.
  void inter(const MacroblockPrediction& prediction, const MotionVector& vector, MacroblockTrial& trial);
  // Overwrites the macroblock in the reconstruction. Stops if the score exceeds `most`, and leaves a larger one.
  void intra(MacroblockMode mode, int64_t most, MacroblockTrial& trial);

 private:
  struct Block {
    int component, i;
  };
  // Blocks that wait for the fit: much faster for many of them at once.
  class Fits {
   public:
    void clear() { count_ = 0; }
    int count() const { return count_; }
    void add(U8x16 wanted, U8x16 source) {
      wanted_[static_cast<size_t>(count_)] = wanted;
      sources_[static_cast<size_t>(count_++)] = source;
    }
    void run();
    int squares(int first, int end) const;  // of the errors of some blocks
   private:
    static constexpr size_t kMost = 2 * 16 * kTransformComponents;
    std::array<U8x16, kMost> wanted_, sources_;
    std::array<FittedBlock, kMost> fitted_;
    int count_ = 0;
  };
  // A transform block of an inter macroblock, without and with coefficients. `uncoded` and `coded` are blocks in Fits.
  struct InterBlock {
    Block block;
    int bits = 0;             // of its levels; 0: it has none
    int64_t squares = 0;      // without coefficients, if they are known without a fit
    bool has_uncoded = true;  // otherwise it is not worth trying
    std::array<int, 2> uncoded{}, coded{};
  };

  int x_of_component(int component) const { return column_ * kMacroblockSide / with_.grid.component(component).across; }
  int y_of_component(int component) const { return row_ * kMacroblockSide / with_.grid.component(component).down; }
  bool is_copy(int component, const MotionVector& vector) const {
    return texel_vector(vector, with_.grid.component(component)).is_whole_blocks();
  }
  // Returns the squared error of the prediction.
  int subtract(const Block& block, const MacroblockTexels& prediction, Residual& residual) const;
  int code(const Block& block, const Residual& residual, bool intra, MacroblockTrial& trial) const;
  void add_fits(const Block& block, const MacroblockTexels& prediction, const Residual* residual);
  int prediction_squares(const Block& block, const MacroblockTexels& prediction) const;
  InterBlock prepare(const Block& block, const MacroblockTexels& prediction, const MotionVector& vector,
                     MacroblockTrial& trial);
  int64_t intra_block(const Block& block, const MacroblockTexels& prediction, MacroblockTrial& trial);
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
  Fits fits_;
};

}  // namespace texcast::compact
