// changed_texture.h — finds the tiles of a texture that changed, and uploads their rows.
//
// Textures are compared in the host's memory, as that takes less time than uploading a whole one. Threads compare some
// rows and copy their changes into pinned memory, while the device receives those above.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "compact/encoder_backend.h"
#include "device_memory.h"
#include "device_queue.h"
#include "tile_lists.h"

namespace texcast::compact {

// Not thread-safe.
class ChangedTexture {
 public:
  // `texture`: the device's, padded to a multiple of 8 bytes.
  ChangedTexture(const DeviceQueue& queue, const TileGrid& grid, const cl::Buffer& texture);

  // The device's texture is this one.
  void start(Bytes texture);
  // Compares the tiles frame.compared of frame.texture with the reference, and starts uploading their rows if they
  // changed. Then it calls `uploaded(changed)` for some changed tiles after the other, ascending. The previous upload
  // must be over.
  void upload(const BackendFrame& frame, Workers& workers, Stage& stage,
              const std::function<void(std::span<const uint32_t>)>& uploaded);
  // One for each tile; tiles that were not compared have none.
  std::span<const TileDifference> differences() const { return differences_; }

 private:
  std::span<const uint32_t> next_rows(std::span<const uint32_t> tiles) const;
  void compare(const BackendFrame& frame, Workers& workers, std::span<const uint32_t> tiles);
  void take_if_changed(const BackendFrame& frame, uint32_t tile);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  cl::Buffer texture_;
  PinnedBytes host_texture_;  // as the device's
  std::vector<TileDifference> differences_;
  std::vector<uint32_t> changed_;  // some rows' tiles
};

}  // namespace texcast::compact
