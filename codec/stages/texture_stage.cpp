#include "texture_stage.h"

#include "ocl/program.h"

namespace texcast::stages {
namespace {

class TextureStage : public Stage {
 public:
  TextureStage(const ocl::Device& device, const KernelPlan& plan, std::span<const std::byte> sizes)
      : info_(device.info()), global_(plan.global_items), group_(plan.group_items) {
    const cl::Program program = ocl::build_program(device, plan.file, plan.options);
    try {
      kernel_ = cl::Kernel(program, plan.kernel.c_str());
      kernel_.setArg(2, sizes.size(), sizes.data());
      if (plan.local_bytes > 0) kernel_.setArg(3, cl::Local(plan.local_bytes));
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
  }

  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& result,
                    const std::vector<cl::Event>& after) override {
    try {
      kernel_.setArg(0, source);
      kernel_.setArg(1, result);
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
  const size_t global_, group_;
};

}  // namespace

std::unique_ptr<Stage> make_texture_stage(const ocl::Device& device, const KernelPlan& plan,
                                          std::span<const std::byte> sizes) {
  return std::make_unique<TextureStage>(device, plan, sizes);
}

}  // namespace texcast::stages
