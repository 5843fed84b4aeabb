#include "stages/repack_stage.h"

#include "base/ensure.h"
#include "kernel_plan.h"
#include "kernels/layout.h"
#include "ocl/program.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_planes) == 8 * 4, "no padding: the kernel shares it");

texcast_planes planes_argument(const TextureLayout& layout) {
  const PlaneLayout &luma = layout.planes[0], &chroma = layout.planes[1];
  return {.blocks_x = luma.blocks_x,
          .blocks_y = luma.blocks_y,
          .chroma_blocks_x = chroma.blocks_x,
          .chroma_blocks_y = chroma.blocks_y,
          .chroma_width = chroma.width,
          .chroma_height = chroma.height,
          .plane1 = static_cast<int>(chroma.offset / 8),
          .plane2 = static_cast<int>(layout.planes[2].offset / 8)};
}

class RepackStage : public Stage {
 public:
  RepackStage(const ocl::Device& device, const RepackSettings& settings) : info_(device.info()) {
    const KernelPlan plan = plan_repack(settings);
    const cl::Program program = ocl::build_program(device, plan.file, plan.options);
    try {
      kernel_ = cl::Kernel(program, plan.kernel.c_str());
      kernel_.setArg(2, planes_argument(texture_layout(settings.from, settings.width, settings.height)));
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
    global_ = plan.global_items;
    group_ = plan.group_items;
  }

  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                    const std::vector<cl::Event>& after) override {
    try {
      kernel_.setArg(0, source);
      kernel_.setArg(1, blocks);
      queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(global_), cl::NDRange(group_),
                                 after.empty() ? nullptr : &after, &done_);
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
    return done_;
  }

  const cl::Event& first_command() const override { return done_; }

 private:
  DeviceInfo info_;
  cl::Kernel kernel_;
  cl::Event done_;
  size_t global_ = 0, group_ = 0;
};

}  // namespace

std::unique_ptr<Stage> make_repack_stage(const ocl::Device& device, const RepackSettings& settings) {
  ENSURE(is_planar_ycocg(settings.from) && has_method(TextureFormat::ycocg_dxt5, settings.method));
  return std::make_unique<RepackStage>(device, settings);
}

}  // namespace texcast::stages
