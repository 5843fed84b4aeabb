#include "texcast/picture_converter.h"

#include <algorithm>
#include <vector>

#include "base/misuse.h"
#include "base/workers.h"
#include "formats/require_texture.h"
#include "frames/from_rgb.h"
#include "frames/require_frame.h"
#include "ocl/device.h"
#include "picture_rows.h"
#include "ref/put_picture.h"
#include "stages/picture_stage.h"
#include "texcast/decoder.h"
#include "texcast/device.h"

namespace texcast {
namespace {

constexpr int kBandUnit = 32;  // rows: even, and whole blocks in most formats

// As many bands as threads, because chroma at their edges is decoded twice.
int rows_of_band(int height, int threads) {
  const int units = (height + kBandUnit - 1) / kBandUnit;
  return kBandUnit * std::max(1, (units + threads - 1) / threads);
}

void require_fitting(const PictureConversion& settings, const TextureView& texture, const MutablePlanes& picture) {
  REQUIRE_USE(texture.desc == settings.from, "the texture differs from PictureConversion::from");
  for (int p = 0; p < plane_count(settings.to.pixel_format); ++p) {
    const MutablePlane& plane = picture[static_cast<size_t>(p)];
    REQUIRE_USE(plane.data != nullptr, "a plane of the picture has no memory");
    REQUIRE_USE(plane.stride_bytes >= plane_row_bytes(settings.to, p), "the stride is less than a row");
  }
  require_whole(texture, "PictureConverter::convert");
}

// Threads decode and convert bands of rows.
class CpuConverter : public PictureConverter {
 public:
  explicit CpuConverter(const PictureConversion& settings)
      : PictureConverter(settings.to),
        settings_(settings),
        band_rows_(rows_of_band(settings.to.height, workers_.threads() + 1)),
        bands_(static_cast<size_t>((settings.to.height + band_rows_ - 1) / band_rows_)) {}

  using PictureConverter::convert;
  void convert(const TextureView& texture, const MutablePlanes& picture) override {
    require_fitting(settings_, texture, picture);
    workers_.parallel_for(bands_.size(), [&](size_t band) { convert_band(texture, picture, band); });
  }
  std::string device_name() const override { return "cpu-reference"; }

 private:
  struct Band {
    RowDecoder decoder{};
    DecodedImage rgb{};
  };

  void convert_band(const TextureView& texture, const MutablePlanes& picture, size_t number) {
    Band& band = bands_[number];
    const int first = static_cast<int>(number) * band_rows_, end = std::min(first + band_rows_, settings_.to.height);
    band.decoder.decode(texture, first, end);
    const DecodedImage* image = &band.decoder.image();
    if (image->samples != SampleType::unorm8) {
      ref::to_rgb_bytes(*image, texture.desc.color, band.rgb);
      image = &band.rgb;
    }
    write_picture_rows(*image, band.decoder.first_row(), settings_.to, first, end, picture);
  }

  const PictureConversion settings_;
  Workers workers_;
  const int band_rows_;
  std::vector<Band> bands_;
};

class OclConverter : public PictureConverter {
 public:
  OclConverter(const PictureConversion& settings, const DeviceInfo& info)
      : PictureConverter(settings.to),
        settings_(settings),
        layout_(texture_layout(settings.from)),
        placed_(place_tightly(settings.to)),
        device_(info) {
    ocl::guarded(device_, [&] {
      queue_ = device_.make_queue(false);
      stage_ = stages::make_picture_stage(device_, {.from = settings.from, .to = settings.to});
      for (size_t plane = 0; plane < static_cast<size_t>(layout_.plane_count); ++plane)
        planes_.emplace_back(device_.context(), CL_MEM_READ_ONLY, layout_.planes[plane].bytes);
      picture_ = cl::Buffer(device_.context(), CL_MEM_READ_WRITE, placed_.bytes);
    });
  }

  using PictureConverter::convert;
  void convert(const TextureView& texture, const MutablePlanes& picture) override {
    require_fitting(settings_, texture, picture);
    ocl::guarded(device_, [&] {
      for (size_t plane = 0; plane < planes_.size(); ++plane) {
        const PlaneLayout& layout = layout_.planes[plane];
        queue_.enqueueWriteBuffer(planes_[plane], CL_FALSE, 0, layout.bytes, texture.blocks.data() + layout.offset);
      }
      stage_->enqueue(queue_, planes_, picture_, {});
      read(picture);
      queue_.finish();
      device_.proved();
    });
  }
  std::string device_name() const override { return device_.info().name + " (" + device_.info().platform + ")"; }

 private:
  // One transfer if the planes lie in the host's memory as on the device.
  void read(const MutablePlanes& picture) {
    if (is_tight(picture)) {
      queue_.enqueueReadBuffer(picture_, CL_FALSE, 0, placed_.bytes, picture[0].data);
      return;
    }
    for (size_t p = 0; p < static_cast<size_t>(plane_count(settings_.to.pixel_format)); ++p) {
      const auto offset = static_cast<size_t>(placed_.offset[p]), row_bytes = static_cast<size_t>(placed_.stride[p]);
      const auto rows = static_cast<size_t>(placed_.padded_rows[p]);
      queue_.enqueueReadBufferRect(picture_, CL_FALSE, {offset, 0, 0}, {0, 0, 0}, {row_bytes, rows, 1}, row_bytes, 0,
                                   static_cast<size_t>(picture[p].stride_bytes), 0, picture[p].data);
    }
  }
  bool is_tight(const MutablePlanes& picture) const {
    for (size_t p = 0; p < static_cast<size_t>(plane_count(settings_.to.pixel_format)); ++p)
      if (picture[p].stride_bytes != placed_.stride[p] || picture[p].data != picture[0].data + placed_.offset[p])
        return false;
    return true;
  }

  const PictureConversion settings_;
  const TextureLayout layout_;
  const FramePlacement placed_;
  ocl::Device device_;
  cl::CommandQueue queue_;
  std::unique_ptr<stages::PictureStage> stage_;
  std::vector<cl::Buffer> planes_;  // the texture's, in blocks
  cl::Buffer picture_;
};

}  // namespace

bool is_picture_format(PixelFormat format) { return is_camera_format(format); }

bool can_make_pictures_on_device(TextureFormat format) { return stages::can_make_pictures(format); }

size_t picture_bytes(const FrameFormat& format) { return place_tightly(format).bytes; }

void PictureConverter::convert(const TextureView& texture, std::span<std::byte> picture) {
  const FramePlacement placed = place_tightly(to_);
  REQUIRE_USE(picture.size() == placed.bytes, "the memory does not have the picture's size");
  MutablePlanes planes;
  for (size_t p = 0; p < static_cast<size_t>(plane_count(to_.pixel_format)); ++p)
    planes[p] = {picture.data() + placed.offset[p], placed.stride[p]};
  convert(texture, planes);
}

std::unique_ptr<PictureConverter> make_picture_converter(const PictureConversion& settings) {
  require_valid(settings.from, __func__);
  REQUIRE_USE(is_picture_format(settings.to.pixel_format), "this pixel format is only read");
  require_valid(settings.to.color, __func__);
  REQUIRE_USE(settings.to.width >= 1 && settings.to.width <= settings.from.width && settings.to.height >= 1 &&
                  settings.to.height <= settings.from.height,
              "the frame is larger than the texture");
  if (!stages::can_make_pictures(settings.from.format)) return std::make_unique<CpuConverter>(settings);
  const DeviceChoice choice = choose_device(settings.device);
  if (choice.cpu_reference) return std::make_unique<CpuConverter>(settings);
  return std::make_unique<OclConverter>(settings, choice.device);
}

}  // namespace texcast
