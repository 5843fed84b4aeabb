#include "compact/opencl_lossless_backend.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/ensure.h"
#include "compact/slice_bytes.h"
#include "device_queue.h"
#include "devices/llvmpipe.h"
#include "lossless_buffers.h"
#include "lossless_coder.h"
#include "lossless_motion.h"
#include "tile_lists.h"

namespace texcast::compact {
namespace {

constexpr int kMostPixels = 1 << 15;  // vectors of kernels have 16 bits

class LosslessBackend final : public OpenClLosslessBackend {
 public:
  LosslessBackend(const ocl::Device& device, const TileGrid& grid, size_t most_slice_bytes)
      : grid_(grid),
        queue_(device),
        buffers_(queue_, grid_),
        motion_(queue_, grid_, buffers_),
        coder_(queue_, grid_, buffers_, most_slice_bytes),
        differences_(grid.tiles()) {
    changed_.reserve(grid.tiles());
    searched_.reserve(grid.tiles());
    motion_.start({});
  }

  void start(const EncoderState& state, Workers& workers) override {
    workers_ = &workers;
    guarded([&] { motion_.start(state); });
  }

  // Textures are compared in the host's memory, as that takes less time than uploading a whole one.
  std::span<const TileDifference> begin(const BackendFrame& frame) override {
    ENSURE(frame.most_slice_bytes == coder_.most_slice_bytes());
    frame_ = frame;
    std::ranges::fill(differences_, TileDifference{0});
    constexpr size_t kSome = 64;  // tiles per item
    workers_->parallel_for((frame.compared.size() + kSome - 1) / kSome, [&](size_t item) {
      for (const uint32_t tile :
           frame.compared.subspan(item * kSome, std::min(kSome, frame.compared.size() - item * kSome)))
        if (frame.reference.empty() || differs(grid_, {.tile = tile}, frame.texture.data(), frame.reference.data()))
          differences_[tile] = kChanged;
    });
    return differences_;
  }

  std::span<const MotionCandidates> find_candidates(const FrameView*, std::span<const uint32_t>,
                                                    std::span<const uint32_t> changed) override {
    changed_.assign(changed.begin(), changed.end());
    std::span<const MotionCandidates> candidates = motion_.none(changed.size());
    guarded([&] {
      queue_.commands().finish();  // the commands of end()
      times_ = {};
      for_ranges(grid_, changed_, [&](size_t at, size_t bytes) {
        queue_.upload(buffers_.texture, at, bytes, frame_.texture.data() + at, times_.upload);
      });
      motion_.upload_changed(changed);
      if (!frame_.reference.empty() && !changed.empty()) candidates = motion_.candidates(times_.motion);
    });
    return candidates;
  }

  std::span<const TileComplexity> complexity(std::span<const TileToMeasure>, std::span<const MotionVector>) override {
    return {};  // only used for rate control, which lossless streams do not have
  }

  void encode(std::span<const TileToEncode> tiles, std::span<const MotionVector> global) override {
    encoded_ = {};
    if (tiles.empty()) return;
    searched_.clear();
    std::ranges::transform(tiles, std::back_inserter(searched_), LosslessCoder::argument);
    guarded([&] {
      motion_.search(searched_, global, times_.motion);
      encoded_ = coder_.encode(tiles, times_.coder);
      queue_.device().proved();
    });
  }

  EncodedBatch wait() override { return {.tiles = encoded_}; }

  std::span<const SubBlockTexels> texels() override { return {}; }  // only for lossy streams

  void end(const FrameOutcome& outcome) override {
    searched_.clear();  // intra and raw tiles have no vectors
    for (const uint32_t tile : outcome.recoded) searched_.push_back(tile | TEXCAST_SLICE_INTRA);
    guarded([&] {
      motion_.search(searched_, {}, times_.end);
      if (changed_.empty()) return;
      motion_.keep(frame_.reference.empty(), times_.end);
      for_ranges(grid_, changed_, [&](size_t at, size_t bytes) {
        queue_.commands().enqueueCopyBuffer(buffers_.texture, buffers_.reference, at, at, bytes, nullptr,
                                            times_.end.next());
      });
      queue_.commands().flush();
    });
  }

  LosslessBackendTimes times() const override {
    LosslessBackendTimes times;
    ocl::guarded(queue_.device(), [&] {
      queue_.commands().finish();
      times = {.upload = times_.upload.time(),
               .motion = times_.motion.time(),
               .symbols = times_.coder.decision.time(),
               .coding = times_.coder.coding.time(),
               .download = times_.coder.download.time(),
               .remembering = times_.end.time()};
    });
    return times;
  }

 private:
  struct Stages {
    Stage upload, motion, end;
    LosslessCoder::Stages coder;
  };

  template <typename Call>
  void guarded(const Call& call) {
    ocl::guarded(queue_.device(), call);
  }

  const TileGrid grid_;
  DeviceQueue queue_;
  LosslessBuffers buffers_;
  LosslessMotion motion_;
  LosslessCoder coder_;
  Workers* workers_ = nullptr;
  BackendFrame frame_;
  std::vector<TileDifference> differences_;
  std::vector<uint32_t> changed_, searched_;
  std::span<const EncodedTile> encoded_;
  Stages times_;
};

}  // namespace

std::optional<DeviceInfo> usual_device(const std::string& selectors) {
  for (const DeviceChoice& choice : choose_devices(selectors))
    if (!choice.cpu_reference && choice.device.is_gpu && !is_llvmpipe(choice.device)) return choice.device;
  return std::nullopt;
}

std::unique_ptr<OpenClLosslessBackend> make_opencl_lossless_backend(const DeviceInfo& device, const TileGrid& grid,
                                                                    size_t most_slice_bytes) {
  if (grid.texture().width >= kMostPixels || grid.texture().height >= kMostPixels)
    throw Error(ErrorKind::no_device, "pictures of 32,768 pixels or more are coded by the processor only");
  if (grid.is_opaque())
    throw Error(ErrorKind::no_device, std::string(name(grid.texture().format)) + " is coded by the processor only");
  const ocl::Device opened(device);
  std::unique_ptr<OpenClLosslessBackend> backend;
  ocl::guarded(opened, [&] { backend = std::make_unique<LosslessBackend>(opened, grid, most_slice_bytes); });
  return backend;
}

}  // namespace texcast::compact
