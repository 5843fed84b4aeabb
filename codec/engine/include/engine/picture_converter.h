// picture_converter.h — decodes textures to pictures in the pixel formats of cameras, on a device if kernels can, else
// on the CPU.
//
//     auto converter = make_picture_converter({.from = texture.desc, .to = format, .device = ""});
//     converter->convert(texture, picture);
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "texcast/format.h"
#include "texcast/frame.h"

namespace texcast {

struct PictureConversion {
  TextureDesc from{};    // of every texture
  FrameFormat to{};      // is_camera_format(), not larger than `from`: the upper left part of the picture
  std::string device{};  // as choose_device() takes it
  bool operator==(const PictureConversion&) const = default;
};

// Not thread-safe.
class PictureConverter {
 public:
  virtual ~PictureConverter() = default;
  // Returns when the picture is in `picture`, whose size is that of place_tightly() of the frame, and whose layout is
  // that. Misuse for other sizes, and for textures that differ from PictureConversion::from. Throws Error{no_device} if
  // the device is lost.
  virtual void convert(const TextureView& texture, MutableBytes picture) = 0;
  virtual std::string device_name() const = 0;  // "cpu-reference" if the CPU converts
};

// Without a device, or if the format's blocks have no kernel, the CPU converts. Throws Error{no_device} as
// make_encoder() does.
std::unique_ptr<PictureConverter> make_picture_converter(const PictureConversion& settings);

}  // namespace texcast
