#include "stages/transcode_stage.h"

#include <span>

#include "base/ensure.h"
#include "kernel_plan.h"
#include "kernels/layout.h"
#include "texture_stage.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_decoded) == 5 * 4, "no padding: the kernels share it");

texcast_decoded decoded_argument(const TextureDesc& texture) {
  const PlaneLayout plane = texture_layout(texture).planes[0];
  return {.width = texture.width,
          .height = texture.height,
          .stride = place_source(decoded_frame(texture)).stride[0],
          .blocks_x = plane.blocks_x,
          .blocks_y = plane.blocks_y};
}

StageSettings encoding_of(const ocl::Device& device, const TranscodeSettings& settings) {
  StageSettings encoding{.source = decoded_frame(settings.from), .texture = settings.to, .method = settings.method};
  encoding.form = best_form(device, encoding);
  return encoding;
}

class TranscodeStage : public Stage {
 public:
  TranscodeStage(const ocl::Device& device, const TranscodeSettings& settings)
      : decode_(make_decode_stage(device, settings.from)),
        encode_(make_stage(device, encoding_of(device, settings))),
        texels_(device.context(), CL_MEM_READ_WRITE, place_source(decoded_frame(settings.from)).bytes) {}

  // Queues are in order, so the next texture's texels are written after these have been read.
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

FrameFormat decoded_frame(const TextureDesc& texture) {
  return {.pixel_format = PixelFormat::rgba,
          .width = texture.width,
          .height = texture.height,
          .color = kFullRange,
          .opaque = format_row(texture.format).model != ColorModel::rgba};
}

std::unique_ptr<Stage> make_decode_stage(const ocl::Device& device, const TextureDesc& texture) {
  const auto sizes = decoded_argument(texture);
  return make_texture_stage(device, plan_decode(texture), std::as_bytes(std::span(&sizes, 1)));
}

std::unique_ptr<Stage> make_transcode_stage(const ocl::Device& device, const TranscodeSettings& settings) {
  ENSURE(has_method(settings.to, settings.method));
  return std::make_unique<TranscodeStage>(device, settings);
}

}  // namespace texcast::stages
