#include "stages/picture_stage.h"

#include <algorithm>
#include <string>

#include "base/ensure.h"
#include "frames/from_rgb.h"
#include "kernels/layout.h"
#include "ocl/program.h"
#include "stages/transcode_stage.h"

namespace texcast::stages {
namespace {

constexpr size_t kGroupItems = 64;
static_assert(sizeof(texcast_picture) == 24 * 4, "no padding: the kernel shares it");

texcast_yuv_channel channel_argument(const YuvChannel& c) {
  return {.red = c.red, .green = c.green, .blue = c.blue, .offset = c.offset};
}

// A texture of one plane alone, in a format whose kernel decodes its blocks.
TextureDesc plane_texture(const TextureDesc& texture, size_t plane) {
  TextureDesc alone = texture;
  if (format_row(texture.format).model == ColorModel::scaled_ycocg) alone.format = TextureFormat::bc3;
  if (!is_planar_ycocg(texture.format)) return alone;
  const PlaneLayout layout = texture_layout(texture).planes[plane];
  alone.format = TextureFormat::bc4;
  alone.width = layout.width;
  alone.height = layout.height;
  return alone;
}

texcast_picture picture_argument(const PictureSettings& settings) {
  const FramePlacement placed = place_tightly(settings.to);
  const YuvConversion yuv = yuv_conversion(settings.to.color);
  const bool has_planes = is_planar_ycocg(settings.from.format);
  const TextureDesc luma = plane_texture(settings.from, 0), chroma = plane_texture(settings.from, has_planes ? 1 : 0);
  return {.width = settings.to.width,
          .height = settings.to.height,
          .texel_stride = place_source(decoded_frame(luma)).stride[0],
          .chroma_stride = place_source(decoded_frame(chroma)).stride[0],
          .chroma_width = chroma.width,
          .chroma_height = chroma.height,
          .offset0 = placed.offset[0],
          .offset1 = placed.offset[1],
          .offset2 = placed.offset[2],
          .stride0 = placed.stride[0],
          .stride1 = placed.stride[1],
          .stride2 = placed.stride[2],
          .luma = channel_argument(yuv.luma),
          .cb = channel_argument(yuv.cb),
          .cr = channel_argument(yuv.cr)};
}

std::string with_define(const char* name, int value) {
  return std::string(" -D").append(name).append("=").append(std::to_string(value));
}

std::string build_options(const PictureSettings& settings) {
  const Format& format = format_row(settings.from.format);
  std::string options = with_define("PICTURE_FORMAT", static_cast<int>(settings.to.pixel_format));
  if (format.model == ColorModel::scaled_ycocg) return options + with_define("MODEL", TEXCAST_TEXELS_SCALED_YCOCG);
  if (!is_planar_ycocg(format.id)) return options + with_define("MODEL", TEXCAST_TEXELS_RGB);
  return options + with_define("MODEL", TEXCAST_TEXELS_YCOCG_PLANES) +
         with_define("CHROMA_ACROSS", format.planes[1].across) + with_define("CHROMA_DOWN", format.planes[1].down);
}

class KernelPictureStage : public PictureStage {
 public:
  KernelPictureStage(const ocl::Device& device, const PictureSettings& settings) : info_(device.info()) {
    const auto planes = static_cast<size_t>(plane_count(settings.from.format));
    const auto half = [](int side) { return static_cast<size_t>(side + 1) / 2; };
    items_ = half(settings.to.width) * half(settings.to.height);
    items_ = (items_ + kGroupItems - 1) / kGroupItems * kGroupItems;
    const texcast_picture argument = picture_argument(settings);
    const cl::Program program = ocl::build_program(device, "decode/picture.cl", build_options(settings));
    try {
      for (size_t plane = 0; plane < planes; ++plane) {
        const TextureDesc texture = plane_texture(settings.from, plane);
        decode_.push_back(make_decode_stage(device, texture));
        texels_.emplace_back(device.context(), CL_MEM_READ_WRITE, place_source(decoded_frame(texture)).bytes);
      }
      kernel_ = cl::Kernel(program, "picture_of_texels");
      for (cl_uint i = 0; i < 3; ++i) kernel_.setArg(i, texels_[std::min<size_t>(i, planes - 1)]);
      kernel_.setArg(4, argument);
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
  }

  cl::Event enqueue(const cl::CommandQueue& queue, const std::vector<cl::Buffer>& planes, const cl::Buffer& picture,
                    const std::vector<cl::Event>& after) override {
    ENSURE(planes.size() == decode_.size());
    cl::Event done;
    for (size_t plane = 0; plane < planes.size(); ++plane)
      decode_[plane]->enqueue(queue, planes[plane], texels_[plane], after);
    try {
      kernel_.setArg(3, picture);
      queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(items_), cl::NDRange(kGroupItems), nullptr, &done);
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
    return done;
  }

 private:
  const DeviceInfo info_;
  std::vector<std::unique_ptr<Stage>> decode_;
  std::vector<cl::Buffer> texels_;  // of each plane
  cl::Kernel kernel_;
  size_t items_ = 0;
};

}  // namespace

bool can_make_pictures(TextureFormat format) {
  return can_decode(format) || is_planar_ycocg(format) || format_row(format).model == ColorModel::scaled_ycocg;
}

std::unique_ptr<PictureStage> make_picture_stage(const ocl::Device& device, const PictureSettings& settings) {
  ENSURE(can_make_pictures(settings.from.format) && is_camera_format(settings.to.pixel_format));
  ENSURE(settings.to.width <= settings.from.width && settings.to.height <= settings.from.height);
  return std::make_unique<KernelPictureStage>(device, settings);
}

}  // namespace texcast::stages
