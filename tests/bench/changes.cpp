#include "changes.h"

#include <fmt/core.h>

#include <ctime>
#include <deque>

#include "texcast/error.h"
#include "texcast/tiles.h"
#include "tuner/sample_frame.h"
#include "tuner/timing.h"

namespace texcast::bench {
namespace {

struct Kind {
  const char* name;
  size_t tiles, of;   // `tiles` of every `of` tiles change, by a byte each; `of` is 0: that number of tiles
  bool film = false;  // every byte changes instead
};
constexpr Kind kKinds[] = {
    {"nothing", 0, 1}, {"2 tiles", 2, 0}, {"half", 1, 2}, {"all tiles", 1, 1}, {"a film", 0, 1, true}};

nanoseconds process_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

// Writes `turn` to the leftmost byte of a tile's middle row in the first plane.
void change_tile(const FrameLease& frame, const FrameFormat& format, size_t tile, int turn) {
  const TileRaster grid = tile_raster(format.width, format.height);
  const auto columns = static_cast<size_t>(grid.columns);
  FrameFormat strip = format;
  strip.width = kTileWidth;
  const auto left = static_cast<size_t>(tile % columns) * static_cast<size_t>(plane_row_bytes(strip, 0));
  const size_t first = tile / columns * kTileHeight;
  const size_t row = (first + std::min<size_t>(first + kTileHeight, static_cast<size_t>(format.height))) / 2;
  const auto stride = static_cast<size_t>(place_frame(format).stride[0]);
  frame.plane(0)[row * stride + left] = static_cast<std::byte>(turn);
}

// Encodes frames in the encoder's memory, over and over.
class ChangingFlow {
 public:
  ChangingFlow(const EncoderSettings& settings, const Kind& kind) : encoder_(make_encoder(settings)) {
    const FrameFormat& format = settings.source;
    const size_t all = tile_raster(format.width, format.height).count();
    const size_t tiles = kind.of == 0 ? std::min(kind.tiles, all) : all * kind.tiles / kind.of;
    const auto pool = encoder_->frame_pool();
    for (int i = 0; i < encoder_->capacity() + 2; ++i) {
      FrameLease frame = pool ? pool->lend() : FrameLease();
      if (!frame) throw Error(ErrorKind::failed, "there is no memory for the benchmark's frames");
      tuner::fill_sample(format, {frame.data(), pool->placement().bytes}, static_cast<unsigned>(kind.film ? i + 1 : 1));
      for (size_t t = 0; t < tiles; ++t) change_tile(frame, format, t * all / tiles, i);
      frames_.push_back(std::move(frame));
    }
  }
  Flow flow() {
    return {.begin = [this] { encoder_->submit(frames_[next_++ % frames_.size()].view(), {}); },
            .end = [this] { encoder_->next(); },
            .in_flight = encoder_->capacity()};
  }
  const Encoder& encoder() const { return *encoder_; }

 private:
  std::unique_ptr<Encoder> encoder_;
  std::vector<FrameLease> frames_;
  size_t next_ = 0;
};

// Times of frames that are encoded one at a time.
struct SingleFrames {
  std::vector<double> ms;
  nanoseconds cpu{};
};

}  // namespace

std::vector<ChangeTiming> time_changes(const ocl::Device& device, const ChangeSettings& settings) {
  std::vector<ChangeTiming> timings;
  std::deque<ChangingFlow> encoders;  // a deque, as flows point into its elements
  std::vector<Flow> flows;
  for (const Kind& kind : kKinds)
    for (const bool compared : {false, true}) {
      timings.push_back({.what = kind.name, .compared = compared});
      encoders.emplace_back(EncoderSettings{.source = settings.source,
                                            .texture = settings.texture,
                                            .quality = settings.quality,
                                            .device = std::to_string(device.info().index),
                                            .start = EncoderStart::when_built,
                                            .bands = settings.bands,
                                            .compare = compared},
                            kind);
      flows.push_back(encoders.back().flow());
    }
  const std::vector<FlowRate> rates = time_flows(flows, settings.flow);  // first, as it warms up the encoders
  std::vector<SingleFrames> alone(flows.size());
  for (int frame = 0; frame < settings.frames; ++frame)
    for (size_t i = 0; i < flows.size(); ++i) {
      const SteadyTime start = steady_now();
      const nanoseconds cpu = process_time();
      flows[i].begin();
      flows[i].end();
      alone[i].cpu += process_time() - cpu;
      alone[i].ms.push_back(in_milliseconds(steady_now() - start));
    }
  for (size_t i = 0; i < flows.size(); ++i) {
    timings[i].latency_ms = tuner::median(alone[i].ms);
    timings[i].cpu_ms = in_milliseconds(alone[i].cpu) / settings.frames;
    timings[i].frames = rates[i];
    timings[i].stages = encoders[i].encoder().last_stage_times();
  }
  return timings;
}

std::string change_table(const std::vector<ChangeTiming>& timings) {
  std::string text =
      "what changes  compared  latency ms  cpu ms  frames/s (slowest .. fastest)  compare us  kernel us  down us  "
      "down KiB\n";
  const auto us = [](nanoseconds time) { return std::chrono::duration<double, std::micro>(time).count(); };
  for (const ChangeTiming& t : timings)
    text += fmt::format(
        "{:<12}  {:>8}  {:10.3f}  {:6.3f}  {:8.1f} ({:8.1f} .. {:8.1f})  {:10.1f}  {:9.1f}  {:7.1f}  {:8.1f}\n", t.what,
        t.compared ? "yes" : "no", t.latency_ms, t.cpu_ms, t.frames.per_second, t.frames.slowest, t.frames.fastest,
        us(t.stages.compare), us(t.stages.kernel), us(t.stages.download),
        static_cast<double>(t.stages.downloaded_bytes) / 1024);
  return text;
}

}  // namespace texcast::bench
