// kernel_stage.h — what all stages share: one kernel over blocks, a frame in, blocks out.
#pragma once

#include <string>
#include <vector>

#include "stages/repack_stage.h"
#include "stages/stage.h"

namespace texcast::stages {

struct KernelPlan {
  std::string file;     // of cl_kernels
  std::string defines;  // besides those of the source format
  std::string kernel;
  size_t global_items = 0;
  size_t group_items = 0;
  // A kernel of one work-item an entry that fills a table of 16-byte entries; run once, the table is the main kernel's
  // fifth argument. None where the name is empty.
  std::string table_kernel;
  size_t table_entries = 0;
  int first = 0, step = 1;  // of texcast_target
  // How items follow the texture's block rows, for whoever cuts the frame into bands: `rows` times `row_items` of them,
  // in order; one such row is a row of blocks of the last plane that the kernel writes, with those of the planes before
  // it that lie at the same place. Of kernels with rows = 1, which is no row then, nothing is cut.
  size_t rows = 1, row_items = 0;
  int first_plane = 0, planes = 1;
  bool bytes_only = false;  // reads the frame as a buffer even where the settings want an image
};

std::unique_ptr<Stage> make_kernel_stage(const ocl::Device& device, const StageSettings& settings,
                                         const KernelPlan& plan);

// Where a band ends: `items` of the kernel have then run, which make `rows` of its rows.
struct BandCut {
  size_t items = 0, rows = 0;
};
std::vector<BandCut> cut_items(const KernelPlan& plan, int most);
std::vector<StageBand> bands_of(const TextureLayout& layout, const KernelPlan& plan, const std::vector<BandCut>& cuts);

// Those of the next that make the settings' texture together, one after the other.
std::vector<KernelPlan> plans_for(const StageSettings& settings);
KernelPlan plan_bc1(const StageSettings& settings);
KernelPlan plan_bc1_group(const StageSettings& settings);  // Form::group
KernelPlan plan_ycocg_bc4(const StageSettings& settings);
KernelPlan plan_ycocg_dxt5(const StageSettings& settings);
// A plane of one channel at full size: alpha, 255 where the source has none; or for bc4 luma there. `target` says where
// its blocks go.
struct ChannelTarget {
  int first = 0, step = 1, plane = 0;
};
KernelPlan plan_bc4_channel(const StageSettings& settings, ChannelTarget target);
KernelPlan plan_memory_floor(const StageSettings& settings);
KernelPlan plan_ycocg_repack(const RepackSettings& settings);

// Two stages one after the other on the same frame and blocks.
std::unique_ptr<Stage> in_sequence(std::unique_ptr<Stage> first, std::unique_ptr<Stage> second);
std::unique_ptr<Stage> make_bc1_group_stage(const ocl::Device& device, StageSettings settings);

// Of kernels that look up how hard the method tries (kernels/effort.h).
std::string method_define(Method method);

bool reads_image(const StageSettings& settings, const KernelPlan& plan);
// What the plan's program is built with.
std::string program_options(const StageSettings& settings, const KernelPlan& plan);

size_t round_up(size_t value, size_t to);

}  // namespace texcast::stages
