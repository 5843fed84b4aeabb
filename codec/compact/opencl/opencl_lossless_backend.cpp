#include "compact/opencl_lossless_backend.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/ensure.h"
#include "changed_texture.h"
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
  LosslessBackend(const ocl::Device& device, const TileGrid& grid, size_t most_slice_bytes, bool has_times)
      : grid_(grid),
        queue_(device, has_times),
        buffers_(queue_, grid_),
        motion_(queue_, grid_, buffers_),
        texture_(queue_, grid_, buffers_.texture),
        coder_(queue_, grid_, buffers_, most_slice_bytes) {
    searched_.reserve(grid.tiles());
    motion_.start({});
  }

  void start(const EncoderState& state, Workers& workers) override {
    workers_ = &workers;
    texture_.start(state.reference);
    guarded([&] { motion_.start(state); });
  }

  std::span<const TileDifference> begin(const BackendFrame& frame) override {
    ENSURE(frame.most_slice_bytes == coder_.most_slice_bytes());
    frame_ = frame;
    times_ = {};
    const Timer timer(times_.host.comparison);
    guarded([&] {
      queue_.wait();  // for the previous upload, if nobody has waited for what came after it
      motion_.begin_frame();
      texture_.upload(frame, *workers_, times_.upload, [&](std::span<const uint32_t> changed) {
        motion_.add_changed(changed, !frame.reference.empty(), times_.candidates);
      });
      queue_.send();
    });
    return texture_.differences();
  }

  std::span<const MotionCandidates> find_candidates(const FrameView*, std::span<const uint32_t>,
                                                    std::span<const uint32_t> changed) override {
    ENSURE(std::ranges::equal(changed, motion_.changed()));
    const Timer timer(times_.host.candidates);
    if (frame_.reference.empty()) return motion_.none();
    std::span<const MotionCandidates> candidates;
    guarded([&] { candidates = motion_.candidates(); });
    return candidates;
  }

  std::span<const TileComplexity> complexity(std::span<const TileToMeasure>, std::span<const MotionVector>) override {
    return {};  // only used for rate control, which lossless streams do not have
  }

  void encode(std::span<const TileToEncode> tiles, std::span<const MotionVector> global) override {
    is_encoding_ = !tiles.empty();
    if (tiles.empty()) return;
    const Timer timer(times_.host.submission);
    searched_.clear();
    std::ranges::transform(tiles, std::back_inserter(searched_), LosslessCoder::argument);
    guarded([&] {
      motion_.search(searched_, global, times_.search);
      coder_.encode(tiles, times_.coder);
    });
  }

  EncodedBatch wait() override {
    if (!is_encoding_) return {};
    const Timer timer(times_.host.waiting);
    std::span<const EncodedTile> encoded;
    guarded([&] { encoded = coder_.wait(*workers_, times_.coder); });
    return {.tiles = encoded};
  }

  std::span<const SubBlockTexels> texels() override { return {}; }  // only for lossy streams

  void end(const FrameOutcome& outcome) override {
    searched_.clear();  // intra and raw tiles have no vectors
    for (const uint32_t tile : outcome.recoded) searched_.push_back(tile | TEXCAST_SLICE_INTRA);
    const Timer timer(times_.host.end);
    guarded([&] {
      motion_.search(searched_, {}, times_.end);
      if (motion_.changed().empty()) return;
      motion_.keep(frame_.reference.empty(), times_.end);
      for_ranges(grid_, motion_.changed(), [&](size_t at, size_t bytes) {
        queue_.commands().enqueueCopyBuffer(buffers_.texture, buffers_.reference, at, at, bytes, nullptr,
                                            queue_.event(times_.end));
      });
      queue_.commands().flush();
    });
  }

  LosslessBackendTimes times() const override {
    LosslessBackendTimes times = times_.host;
    ocl::guarded(queue_.device(), [&] {
      queue_.commands().finish();
      times.upload = times_.upload.time();
      times.candidate_search = times_.candidates.time();
      times.motion_search = times_.search.time();
      times.analysis = times_.coder.analysis.time();
      times.decision = times_.coder.decision.time();
      times.symbols = times_.coder.symbols.time();
      times.coding = times_.coder.coding.time();
      times.download = times_.coder.download.time();
      times.remembering = times_.end.time();
    });
    return times;
  }

 private:
  struct Stages {
    Stage upload, candidates, search, end;
    LosslessCoder::Stages coder;
    LosslessBackendTimes host;
  };
  // Measures the host's time from its construction to its destruction.
  class Timer {
   public:
    explicit Timer(nanoseconds& time) : time_(time) {}
    ~Timer() { time_ = steady_now() - begun_; }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    nanoseconds& time_;
    const SteadyTime begun_ = steady_now();
  };

  template <typename Call>
  void guarded(const Call& call) {
    ocl::guarded(queue_.device(), call);
  }

  const TileGrid grid_;
  DeviceQueue queue_;
  LosslessBuffers buffers_;
  LosslessMotion motion_;
  ChangedTexture texture_;
  LosslessCoder coder_;
  Workers* workers_ = nullptr;
  BackendFrame frame_;
  std::vector<uint32_t> searched_;
  bool is_encoding_ = false;
  Stages times_;
};

}  // namespace

std::optional<DeviceInfo> usual_device(const std::string& selectors) {
  for (const DeviceChoice& choice : choose_devices(selectors))
    if (!choice.cpu_reference && choice.device.is_gpu && !is_llvmpipe(choice.device)) return choice.device;
  return std::nullopt;
}

std::unique_ptr<OpenClLosslessBackend> make_opencl_lossless_backend(const DeviceInfo& device, const TileGrid& grid,
                                                                    size_t most_slice_bytes, bool has_times) {
  if (grid.texture().width >= kMostPixels || grid.texture().height >= kMostPixels)
    throw Error(ErrorKind::no_device, "pictures of 32,768 pixels or more are coded by the processor only");
  if (grid.is_opaque())
    throw Error(ErrorKind::no_device, std::string(name(grid.texture().format)) + " is coded by the processor only");
  const ocl::Device opened(device);
  std::unique_ptr<OpenClLosslessBackend> backend;
  ocl::guarded(opened, [&] { backend = std::make_unique<LosslessBackend>(opened, grid, most_slice_bytes, has_times); });
  return backend;
}

}  // namespace texcast::compact
