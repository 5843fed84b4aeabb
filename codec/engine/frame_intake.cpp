#include "frame_intake.h"

#include <algorithm>
#include <cstring>

#include "texcast/error.h"

namespace texcast {
namespace {

// Copies the rows of each plane to their place; one copy per plane if source and place have the same stride.
void copy_frame(const FrameView& frame, const FrameLease& to, const FramePlacement& placed) {
  for (int p = 0; p < plane_count(frame.format.pixel_format); ++p) {
    const auto plane = static_cast<size_t>(p);
    const PlaneView& view = frame.planes[plane];
    const auto row_bytes = static_cast<size_t>(plane_row_bytes(frame.format, p));
    const auto rows = static_cast<size_t>(plane_rows(frame.format, p));
    const auto stride = static_cast<size_t>(placed.stride[plane]);
    std::byte* out = to.plane(p);
    if (view.stride_bytes == placed.stride[plane]) {
      std::memcpy(out, view.data, stride * (rows - 1) + row_bytes);
      continue;
    }
    for (size_t row = 0; row < rows; ++row)
      std::memcpy(out + row * stride, view.data + static_cast<std::ptrdiff_t>(row) * view.stride_bytes, row_bytes);
  }
}

}  // namespace

TakenFrame take_frame(FramePool& lent, FramePool& copies, const FrameView& frame, const std::string& device) {
  if (FrameLease lease = lent.share(frame)) return {std::move(lease), false};
  FrameLease lease = copies.lend();
  if (!lease)
    throw Error(ErrorKind::no_device, "no memory for frames of " + std::to_string(copies.placement().padded_bytes) +
                                          " bytes for " + device +
                                          ": lower the number in flight, or let more memory be pinned (ulimit -l)");
  copy_frame(frame, lease, copies.placement());
  return {std::move(lease), true};
}

// A decoder of H.264 or HEVC needs 16 reference frames at most, and one or two per thread.
size_t most_lent(const EncoderSettings& settings, size_t devices) {
  constexpr size_t kMostFrames = 64, kMostBytes = size_t{1} << 30;
  const size_t least = devices * static_cast<size_t>(settings.frames_in_flight) + 8;
  return std::max(least, std::min(kMostFrames, kMostBytes / place_frame(settings.source).padded_bytes));
}

}  // namespace texcast
