// macroblock_decision.h — the mode decision for the macroblocks of a transform slice, one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compact/motion_vector.h"
#include "compact/rd_parameters.h"
#include "compact/transform_reconstruction.h"
#include "macroblock_trials.h"
#include "reference.h"
#include "transform_reference.h"
#include "transform_source.h"

namespace texcast::compact {

// Reused for all slices.
struct TransformTrialMemory {
  MacroblockPrediction prediction{};
  std::array<MacroblockTrial, 2> trials{};
  size_t best_trial = 0;  // of `trials`; the other one is tried

  MacroblockTrial& best() { return trials[best_trial]; }
  MacroblockTrial& trial() { return trials[1 - best_trial]; }
};

class MacroblockDecision {
 public:
  struct Context {
    const TileGrid& grid;
    const Slice& slice;
    const Reference& reference;
    const TransformSource& source;
    const Quantisation& quantisation;
    int lambda;
    SearchEffort effort{};
    std::array<const CodingTables*, kTransformComponents> tables;
  };
  MacroblockDecision(const Context& context, std::byte* texture, SamplePlanes& samples, TransformTrialMemory& memory);

  int columns() const { return reconstruction_.columns(); }
  int rows() const { return reconstruction_.rows(); }
  // Decides the next macroblock, row by row from the left, and reconstructs it. Its symbols must be put before it is
  // added to the neighbours.
  const MacroblockTrial& decide(int column, int row);
  // Call it after the last one: writes the last blocks of the texture.
  void finish() { reconstruction_.finish(); }
  const MacroblockNeighbours& neighbours() const { return neighbours_; }
  const TransformReconstruction& reconstruction() const { return reconstruction_; }
  void add(const Macroblock& macroblock, int column, int row) { neighbours_.add(macroblock, column, row); }

 private:
  bool is_intra_slice() const { return with_.reference.texture == nullptr; }
  MotionVector partition_vector(int column, int row) const;
  MotionVector search(int column, int row);
  int difference_at(int column, int row, const MotionVector& vector, int enough);
  U64x2 sums_of_eight_rows(const TransformReference::Luma& from, size_t stride, const uint8_t* source) const;
  void predict(const MotionVector& vector);
  void decide_inter(int column, int row);
  bool skips_without_search(int column, int row, const MotionVector& predictor);
  void decide_intra();
  int skip_bits() const;
  static int64_t least_distortion(int difference);
  bool is_near(int difference) const;
  bool is_intra_worthwhile(int column, int row) const;
  void keep_if_better();

  const Context with_;
  TransformTrialMemory& memory_;
  const TransformReference* const planes_;  // may be nullptr
  const int difference_cost_;               // the SAD that a bit has to save, in 1/32
  TransformReconstruction reconstruction_;
  MacroblockNeighbours neighbours_;
  MacroblockTrials trials_;
  int least_difference_ = 0;
};

}  // namespace texcast::compact
