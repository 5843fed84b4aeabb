#include "stages/transcode_stage.h"

#include "base/ensure.h"
#include "kernel_plan.h"
#include "kernels/layout.h"
#include "ocl/program.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_decoded) == 5 * 4, "no padding: the kernels share it");

texcast_decoded decoded_argument(TextureFormat format, int width, int height) {
  const PlaneLayout plane = texture_layout(format, width, height).planes[0];
  return {.width = width,
          .height = height,
          .stride = place_source(decoded_frame(format, width, height)).stride[0],
          .blocks_x = plane.blocks_x,
          .blocks_y = plane.blocks_y};
}

class DecodeStage : public Stage {
 public:
  DecodeStage(const ocl::Device& device, TextureFormat format, int width, int height) : info_(device.info()) {
    const KernelPlan plan = plan_decode(format, width, height);
    const cl::Program program = ocl::build_program(device, plan.file, plan.options);
    try {
      kernel_ = cl::Kernel(program, plan.kernel.c_str());
      kernel_.setArg(2, decoded_argument(format, width, height));
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
    global_ = plan.global_items;
    group_ = plan.group_items;
  }

  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& frame,
                    const std::vector<cl::Event>& after) override {
    try {
      kernel_.setArg(0, source);
      kernel_.setArg(1, frame);
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

StageSettings encoding_of(const ocl::Device& device, const TranscodeSettings& settings) {
  StageSettings encoding{.source = decoded_frame(settings.from, settings.width, settings.height),
                         .texture = settings.to,
                         .method = settings.method};
  encoding.form = best_form(device, encoding);
  return encoding;
}

class TranscodeStage : public Stage {
 public:
  TranscodeStage(const ocl::Device& device, const TranscodeSettings& settings)
      : decode_(make_decode_stage(device, settings.from, settings.width, settings.height)),
        encode_(make_stage(device, encoding_of(device, settings))),
        texels_(device.context(), CL_MEM_READ_WRITE,
                place_source(decoded_frame(settings.from, settings.width, settings.height)).bytes) {}

  // Queues are in order: the next texture's texels are written when these have been read.
  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                    const std::vector<cl::Event>& after) override {
    decode_->enqueue(queue, source, texels_, after);
    return encode_->enqueue(queue, texels_, blocks, {});
  }

  const cl::Event& first_command() const override { return decode_->first_command(); }

 private:
  std::unique_ptr<Stage> decode_, encode_;
  cl::Buffer texels_;
};

}  // namespace

FrameFormat decoded_frame(TextureFormat format, int width, int height) {
  return {.pixel_format = PixelFormat::rgba,
          .width = width,
          .height = height,
          .color = kFullRange,
          .opaque = format_row(format).model != ColorModel::rgba};
}

std::unique_ptr<Stage> make_decode_stage(const ocl::Device& device, TextureFormat format, int width, int height) {
  return std::make_unique<DecodeStage>(device, format, width, height);
}

std::unique_ptr<Stage> make_transcode_stage(const ocl::Device& device, const TranscodeSettings& settings) {
  ENSURE(has_method(settings.to, settings.method));
  return std::make_unique<TranscodeStage>(device, settings);
}

}  // namespace texcast::stages
