// picture_converter.h — decodes textures to pictures in the pixel formats that other programs read: cameras, video
// encoders, multimedia frameworks.
//
// An OpenCL device decodes and converts if it can, else the threads of the CPU. Both give the same bytes, so a program
// may begin on the CPU while another thread makes the converter of the device, whose kernels may have to be compiled.
//
// Example:
//     const FrameFormat nv12{.pixel_format = PixelFormat::nv12, .width = 1920, .height = 1080};
//     const auto converter = make_picture_converter({.from = texture.desc, .to = nv12});
//     std::vector<std::byte> picture(picture_bytes(nv12));
//     converter->convert(texture, picture);
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/frame.h"

namespace texcast {

// nv12, yuv420p, yuyv422 and bgra.
TEXCAST_API bool is_picture_format(PixelFormat format);

// Whether kernels decode textures of this format: BC1 to BC5 and BC7, ETC2, EAC, ASTC of the LDR profile, and YCoCg
// without a plane of alpha. Others are converted by the CPU.
TEXCAST_API bool can_make_pictures_on_device(TextureFormat format);

struct PictureConversion {
  TextureDesc from{};    // of every texture
  FrameFormat to{};      // is_picture_format(), not larger than `from`: the upper left part of the picture
  std::string device{};  // as choose_device() takes it
  bool operator==(const PictureConversion&) const = default;
};

// Memory for a plane of a picture. Rows do not overlap: `stride_bytes` is not less than plane_row_bytes().
struct MutablePlane {
  std::byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;
};
using MutablePlanes = std::array<MutablePlane, 3>;  // the first plane_count() of them are used

// The size of a picture whose planes follow each other without gaps.
TEXCAST_API size_t picture_bytes(const FrameFormat& format);

// Not thread-safe; distinct converters are independent. No call allocates memory for the picture.
//
// Values: the texture is decoded to full-range R'G'B' of 8 bits and converted by the matrix and the range of
// PictureConversion::to. One channel is gray, missing channels are 0, and alpha is dropped: the fourth byte of bgra is
// 255. Half floats of linear light are tone-mapped. Chroma is the mean of the texels that share it (its site is the
// centre, as in JPEG); for odd sizes, the edge is repeated.
class TEXCAST_API PictureConverter {
 public:
  virtual ~PictureConverter() = default;
  // Returns when the picture is in `picture`; bytes between rows keep their values. Misuse for a texture that differs
  // from PictureConversion::from, and for planes without memory or with too small a stride. Throws Error{no_device} if
  // the device is lost; the picture is undefined then.
  virtual void convert(const TextureView& texture, const MutablePlanes& picture) = 0;
  // The same for planes that follow each other without gaps. Misuse unless `picture` has picture_bytes().
  void convert(const TextureView& texture, std::span<std::byte> picture);
  virtual std::string device_name() const = 0;  // "cpu-reference" if the CPU converts

 protected:
  explicit PictureConverter(const FrameFormat& to) : to_(to) {}

 private:
  FrameFormat to_;
};

// May compile kernels, which can take seconds. Without a device, or if the format's blocks have no kernel, the CPU
// converts. Misuse for a `to` that PictureConversion does not allow. Throws Error{no_device} as make_encoder() does.
TEXCAST_API std::unique_ptr<PictureConverter> make_picture_converter(const PictureConversion& settings);

}  // namespace texcast
