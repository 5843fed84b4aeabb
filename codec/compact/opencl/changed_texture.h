// changed_texture.h — finds the tiles of a texture that changed, and uploads their rows.
//
// Textures are compared in the host's memory, as that takes less time than uploading a whole one. Threads compare tiles
// and copy those that changed into pinned memory. The calling thread uploads a part of the texture as soon as all its
// tiles are there, while the threads compare the parts below.
#pragma once

#include <array>
#include <atomic>
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
  // changed. It calls `uploaded(changed)` for the changed tiles of one part after the other, on this thread, ascending.
  // The previous upload must be over.
  void upload(const BackendFrame& frame, Workers& workers, Stage& stage,
              const std::function<void(std::span<const uint32_t>)>& uploaded);
  // One for each tile; tiles that were not compared have none.
  std::span<const TileDifference> differences() const { return differences_; }

 private:
  // Some rows of tiles.
  struct Part {
    std::span<const uint32_t> tiles;
    std::atomic<size_t> items_left = 0;
  };
  // Tiles that a thread compares at once.
  struct Item {
    std::span<const uint32_t> tiles;
    size_t part = 0;
  };
  using Uploaded = std::function<void(std::span<const uint32_t>)>;
  static constexpr size_t kMostParts = 16;

  void divide(std::span<const uint32_t> compared);
  std::span<const uint32_t> next_rows(std::span<const uint32_t> tiles) const;
  void take_if_changed(const BackendFrame& frame, uint32_t tile);
  void upload(std::span<const uint32_t> tiles, Stage& stage, const Uploaded& uploaded);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  cl::Buffer texture_;
  PinnedBytes host_texture_;  // as the device's
  std::vector<TileDifference> differences_;
  std::array<Part, kMostParts> parts_;
  size_t part_count_ = 0;
  std::vector<Item> items_;
  std::vector<uint32_t> changed_;  // tiles of a part
};

}  // namespace texcast::compact
