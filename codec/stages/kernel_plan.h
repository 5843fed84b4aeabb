// kernel_plan.h — one kernel of a stage with everything that is needed to build and run it.
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
  std::string file;     // in cl_kernels
  std::string options;  // of its build, including those for the source format
  std::string kernel;
  size_t global_items = 0;
  size_t group_items = 0;
  std::string table_kernel;  // as in KernelRow; empty: none
  size_t table_entries = 0;
  std::span<const uint32_t> host_table;  // replaces a table kernel; lives as long as the program
  int first = 0, step = 1;               // of texcast_target
  // How items correspond to the texture's block rows, for splitting the frame into bands: `rows` times `row_items`
  // items, in order. One such row is a row of blocks of the last plane that the kernel writes, together with the blocks
  // of earlier planes at the same place. Kernels with rows = 1, which then is no row, cannot be split.
  size_t rows = 1, row_items = 0;
  int first_plane = 0, planes = 1;
  bool reads_image = false;   // reads its frame through an image
  bool deals_blocks = false;  // as StageSettings::deal_blocks
  size_t local_bytes = 0;     // of local memory, its fourth argument; 0: it has none
};

// The kernels that encode the settings' texture, in order.
std::vector<KernelPlan> plans_for(const StageSettings& settings);
KernelPlan plan_memory_floor(const StageSettings& settings);
KernelPlan plan_repack(const RepackSettings& settings);
// Requires can_decode(texture.format).
KernelPlan plan_decode(const TextureDesc& texture);
// `items` as in CompareStage.
KernelPlan plan_compare(const FrameFormat& format, int items);

// The end of a band: `items` of the kernel have run by then, which encode `rows` of its rows.
struct BandCut {
  size_t items = 0, rows = 0;
};
std::vector<BandCut> cut_items(const KernelPlan& plan, int most);
std::vector<StageBand> bands_of(const TextureLayout& layout, const KernelPlan& plan, const std::vector<BandCut>& cuts);

}  // namespace texcast::stages
