#include "engine/picture_converter.h"

#include <vector>

#include "base/misuse.h"
#include "formats/require_texture.h"
#include "frames/from_rgb.h"
#include "ocl/device.h"
#include "ref/decode.h"
#include "ref/put_picture.h"
#include "stages/picture_stage.h"
#include "texcast/device.h"

namespace texcast {
namespace {

void require_fitting(const PictureConversion& settings, const TextureView& texture, MutableBytes picture) {
  REQUIRE_USE(texture.desc == settings.from, "the texture differs from PictureConversion::from");
  REQUIRE_USE(picture.size() == place_tightly(settings.to).bytes, "the memory does not have the picture's size");
  require_whole(texture, "PictureConverter::convert");
}

class ReferenceConverter : public PictureConverter {
 public:
  explicit ReferenceConverter(const PictureConversion& settings) : settings_(settings) {}

  void convert(const TextureView& texture, MutableBytes picture) override {
    require_fitting(settings_, texture, picture);
    ref::decode(texture, EndpointExpansion::replicate, decoded_);
    ref::to_rgb_bytes(decoded_, texture.desc.color, rgb_);
    ref::put_picture(rgb_, settings_.to, picture);
  }
  std::string device_name() const override { return "cpu-reference"; }

 private:
  const PictureConversion settings_;
  DecodedImage decoded_, rgb_;
};

class OclConverter : public PictureConverter {
 public:
  OclConverter(const PictureConversion& settings, const DeviceInfo& info)
      : settings_(settings), layout_(texture_layout(settings.from)), device_(info) {
    ocl::guarded(device_, [&] {
      queue_ = device_.make_queue(false);
      stage_ = stages::make_picture_stage(device_, {.from = settings.from, .to = settings.to});
      for (size_t plane = 0; plane < static_cast<size_t>(layout_.plane_count); ++plane)
        planes_.emplace_back(device_.context(), CL_MEM_READ_ONLY, layout_.planes[plane].bytes);
      picture_ = cl::Buffer(device_.context(), CL_MEM_READ_WRITE, place_tightly(settings.to).bytes);
    });
  }

  void convert(const TextureView& texture, MutableBytes picture) override {
    require_fitting(settings_, texture, picture);
    ocl::guarded(device_, [&] {
      for (size_t plane = 0; plane < planes_.size(); ++plane) {
        const PlaneLayout& layout = layout_.planes[plane];
        queue_.enqueueWriteBuffer(planes_[plane], CL_FALSE, 0, layout.bytes, texture.blocks.data() + layout.offset);
      }
      stage_->enqueue(queue_, planes_, picture_, {});
      queue_.enqueueReadBuffer(picture_, CL_TRUE, 0, picture.size(), picture.data());
      device_.proved();
    });
  }
  std::string device_name() const override { return device_.info().name + " (" + device_.info().platform + ")"; }

 private:
  const PictureConversion settings_;
  const TextureLayout layout_;
  ocl::Device device_;
  cl::CommandQueue queue_;
  std::unique_ptr<stages::PictureStage> stage_;
  std::vector<cl::Buffer> planes_;  // the texture's, in blocks
  cl::Buffer picture_;
};

}  // namespace

std::unique_ptr<PictureConverter> make_picture_converter(const PictureConversion& settings) {
  require_valid(settings.from, __func__);
  REQUIRE_USE(is_camera_format(settings.to.pixel_format), "this pixel format is only read");
  REQUIRE_USE(settings.to.width <= settings.from.width && settings.to.height <= settings.from.height,
              "the frame is larger than the texture");
  if (!stages::can_make_pictures(settings.from.format)) return std::make_unique<ReferenceConverter>(settings);
  const DeviceChoice choice = choose_device(settings.device);
  if (choice.cpu_reference) return std::make_unique<ReferenceConverter>(settings);
  return std::make_unique<OclConverter>(settings, choice.device);
}

}  // namespace texcast
