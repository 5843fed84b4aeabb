// coding_device.h — the OpenCL device that codes a stream in place of threads, once its kernels are built.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/built_later.h"
#include "compact/frame_encoder.h"
#include "compact/tile_grid.h"
#include "texcast/device.h"
#include "texcast/frame.h"

namespace texcast::stream {

// Not thread-safe. Its end waits for kernels that are being built.
class CodingDevice {
 public:
  // nullopt: there is none, and no other call does anything. `grid` must outlive this.
  CodingDevice(std::optional<DeviceInfo> device, const compact::TileGrid& grid);
  bool is_there() const { return device_.has_value(); }

  // One of the two, once: starts to build the kernels on another thread.
  void build_lossless(size_t most_slice_bytes);
  // `picture`: a picture as all frames have one; nullptr: none has. `transform`: the stream has transform coding.
  void build_lossy(const FrameView* picture, bool transform);
  // Whether the kernels are being built; false as soon as hand_over_to() gives the encoder something.
  bool is_building() const { return backend_.is_building(); }
  // Between two frames: gives the encoder the device as soon as the kernels are built.
  void hand_over_to(compact::FrameEncoder& encoder);
  // Whether the kernels are built, and hand_over_to() has not been called since.
  bool is_built() const { return backend_.is_awaited() && !backend_.is_building(); }

 private:
  const std::optional<DeviceInfo> device_;
  const compact::TileGrid& grid_;
  compact::SelfCheckSettings check_;
  BuiltLater<std::unique_ptr<compact::EncoderBackend>> backend_;
};

}  // namespace texcast::stream
