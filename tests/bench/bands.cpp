#include "bands.h"

#include <fmt/core.h>

#include <deque>
#include <thread>

#include "tuner/timing.h"

namespace texcast::bench {
namespace {

// Times of frames that are encoded one at a time.
struct SingleFrames {
  std::vector<double> first_ms, last_ms;
  std::vector<double> first_bytes;
};

// Polls ready_bytes(): continuously for a GPU, with pauses for a CPU, whose kernels need the processor.
void time_frame(EncoderFlow& flow, bool is_gpu, size_t texture_bytes, SingleFrames& times) {
  const Flow work = flow.flow();
  const SteadyTime start = steady_now();
  work.begin();
  bool first = true;
  for (size_t ready = 0; ready < texture_bytes;) {
    ready = flow.encoder().ready_bytes();
    if (ready > 0 && first) {
      first = false;
      times.first_ms.push_back(in_milliseconds(steady_now() - start));
      times.first_bytes.push_back(static_cast<double>(ready));
    }
    if (ready < texture_bytes && !is_gpu) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  times.last_ms.push_back(in_milliseconds(steady_now() - start));
  work.end();
}

}  // namespace

std::vector<BandTiming> time_bands(const ocl::Device& device, const BandSettings& settings) {
  std::deque<EncoderFlow> encoders;  // a deque, as flows point into its elements
  std::vector<Flow> flows;
  for (const int bands : settings.bands) {
    encoders.emplace_back(EncoderSettings{.source = settings.source,
                                          .texture = settings.texture,
                                          .quality = settings.quality,
                                          .device = std::to_string(device.info().index),
                                          .bands = bands});
    flows.push_back(encoders.back().flow());
  }
  const std::vector<FlowRate> rates = time_flows(flows, settings.flow);  // first, as it warms up the encoders
  std::vector<SingleFrames> alone(flows.size());
  const size_t bytes = texture_layout(settings.texture, settings.source.width, settings.source.height).total_bytes;
  for (int frame = 0; frame < settings.frames; ++frame)
    for (size_t i = 0; i < flows.size(); ++i) time_frame(encoders[i], device.info().is_gpu, bytes, alone[i]);
  std::vector<BandTiming> timings;
  for (size_t i = 0; i < flows.size(); ++i)
    timings.push_back({.bands = encoders[i].encoder().bands(),
                       .first_ms = tuner::median(alone[i].first_ms),
                       .last_ms = tuner::median(alone[i].last_ms),
                       .first_part = tuner::median(alone[i].first_bytes) / static_cast<double>(bytes),
                       .frames = rates[i]});
  return timings;
}

std::string band_table(const std::vector<BandTiming>& timings) {
  std::string text = "bands  first bytes ms  (part of all)  last byte ms  frames/s (slowest .. fastest)\n";
  for (const BandTiming& t : timings)
    text += fmt::format("{:5}  {:14.3f}  {:12.0f}%  {:12.3f}  {:8.1f} ({:.1f} .. {:.1f})\n", t.bands, t.first_ms,
                        100 * t.first_part, t.last_ms, t.frames.per_second, t.frames.slowest, t.frames.fastest);
  return text;
}

}  // namespace texcast::bench
