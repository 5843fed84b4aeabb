// kernel_plan.h — one kernel of a stage with everything that building and running it needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stages/repack_stage.h"
#include "stages/stage.h"
#include "stages/transcode_stage.h"

namespace texcast::stages {

struct KernelPlan {
  std::string file;     // of cl_kernels
  std::string options;  // of its build, those for the source format included
  std::string kernel;
  size_t global_items = 0;
  size_t group_items = 0;
  std::string table_kernel;  // as KernelRow; none where it is empty
  size_t table_entries = 0;
  std::span<const uint32_t> host_table;  // instead of what a kernel fills; lives as long as the program
  int first = 0, step = 1;               // of texcast_target
  // How items follow the texture's block rows, for whoever cuts the frame into bands: `rows` times `row_items` of them,
  // in order; one such row is a row of blocks of the last plane that the kernel writes, with those of the planes before
  // it that lie at the same place. Of kernels with rows = 1, which is no row then, nothing is cut.
  size_t rows = 1, row_items = 0;
  int first_plane = 0, planes = 1;
  bool reads_image = false;  // its frame through an image
  size_t local_bytes = 0;    // of local memory, its fourth argument; 0: it has none
};

// Those that make the settings' texture together, one after the other.
std::vector<KernelPlan> plans_for(const StageSettings& settings);
KernelPlan plan_memory_floor(const StageSettings& settings);
KernelPlan plan_repack(const RepackSettings& settings);
// can_decode(texture.format).
KernelPlan plan_decode(const TextureDesc& texture);
// `items` as CompareStage.
KernelPlan plan_compare(const FrameFormat& format, int items);

// Where a band ends: `items` of the kernel have then run, which make `rows` of its rows.
struct BandCut {
  size_t items = 0, rows = 0;
};
std::vector<BandCut> cut_items(const KernelPlan& plan, int most);
std::vector<StageBand> bands_of(const TextureLayout& layout, const KernelPlan& plan, const std::vector<BandCut>& cuts);

}  // namespace texcast::stages
