#include "stages/compare_stage.h"

#include <algorithm>

#include "base/ensure.h"
#include "kernel_plan.h"
#include "kernels/layout.h"
#include "ocl/program.h"
#include "texcast/tiles.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_tiles) == 21 * 4, "no padding: the kernel shares it");
static_assert(4 << TEXCAST_TILE_ACROSS_BITS == kTileWidth && 4 << TEXCAST_TILE_DOWN_BITS == kTileHeight);

texcast_tiles tiles_argument(const FrameFormat& format) {
  const FramePlacement placed = place_frame(format);
  const TileRaster grid = tile_raster(format.width, format.height);
  FrameFormat tile = format;
  tile.width = kTileWidth;
  tile.height = kTileHeight;
  texcast_tiles argument{};
  argument.columns = grid.columns;
  argument.rows = grid.rows;
  argument.planes = plane_count(format.pixel_format);
  for (int p = 0; p < argument.planes; ++p) {
    const auto plane = static_cast<size_t>(p);
    argument.offset[plane] = placed.offset[plane];
    argument.stride[plane] = placed.stride[plane];
    argument.row_bytes[plane] = plane_row_bytes(format, p);
    argument.plane_rows[plane] = plane_rows(format, p);
    argument.tile_bytes[plane] = plane_row_bytes(tile, p);
    argument.tile_rows[plane] = plane_rows(tile, p);
  }
  return argument;
}

int usual_items(const ocl::Device& device) { return device.info().is_gpu ? 64 : 0; }

}  // namespace

CompareStage::CompareStage(const ocl::Device& device, const FrameFormat& format, std::optional<int> items)
    : info_(device.info()) {
  const KernelPlan plan = plan_compare(format, items.value_or(usual_items(device)));
  const cl::Program program = ocl::build_program(device, plan.file, plan.options);
  try {
    kernel_ = cl::Kernel(program, plan.kernel.c_str());
    kernel_.setArg(3, tiles_argument(format));
  } catch (const cl::Error& error) {
    throw ocl::device_error(error, info_);
  }
  global_ = plan.global_items;
  group_ = plan.group_items;
}

bool CompareStage::is_built(const ocl::Device& device, const FrameFormat& format) {
  const KernelPlan plan = plan_compare(format, usual_items(device));
  return ocl::is_built(device, plan.file, plan.options);
}

cl::Event CompareStage::enqueue(const cl::CommandQueue& queue, const cl::Buffer& frame, const cl::Buffer& before,
                                const cl::Buffer& changed, const std::vector<cl::Event>& after) {
  cl::Event done;
  try {
    kernel_.setArg(0, frame);
    kernel_.setArg(1, before);
    kernel_.setArg(2, changed);
    queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(global_), cl::NDRange(group_),
                               after.empty() ? nullptr : &after, &done);
  } catch (const cl::Error& error) {
    throw ocl::device_error(error, info_);
  }
  return done;
}

}  // namespace texcast::stages
