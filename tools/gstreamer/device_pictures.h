// device_pictures.h — pictures that an OpenCL device decodes and converts, once its kernels are built.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "deferred.h"
#include "texcast/picture_converter.h"

namespace texcast::gstreamer {

inline constexpr const char* kNoDevice = "cpu-reference";  // the CPU decodes

// One thread calls it. Nothing here waits for a device to be found or for a kernel to be built: this happens in the
// background.
class DevicePictures {
 public:
  // Called if a device that was asked for by name fails, on any thread.
  using OnFailure = std::function<void(const std::exception_ptr&)>;

  // `device`: as choose_device() takes it; empty: the best GPU, and none if there is no GPU, since other devices are
  // the CPU, which decodes no faster this way.
  void use(std::string device, OnFailure on_failure);
  // Ends the device's objects, and drops `on_failure`. No device is used from now on.
  void close();

  // False: the device is not ready, has failed, or there is none for this format; `picture` is undefined then. Calls
  // for other textures or formats than before prepare the device for them.
  bool convert(const TextureView& texture, const FrameFormat& to, const MutablePlanes& picture);

 private:
  void prepare(const PictureConversion& conversion);

  std::string device_ = kNoDevice;
  OnFailure on_failure_{};
  std::optional<PictureConversion> prepared_{};
  Deferred<PictureConverter> converter_{};
};

}  // namespace texcast::gstreamer
