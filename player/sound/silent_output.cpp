// silent_output.cpp — a silent audio output: a thread that requests samples when a card would.
#include <atomic>
#include <utility>
#include <vector>

#include "base/loop_thread.h"
#include "buffer_samples.h"
#include "player/audio_output.h"

namespace texcast::player {
namespace {

class SilentOutput final : public AudioOutput {
 public:
  explicit SilentOutput(AudioFill fill) : fill_(std::move(fill)) {}
  AudioFormat format() const override { return kFormat; }
  nanoseconds latency() const override { return kBuffer; }
  void set_paused(bool paused) override { paused_ = paused; }
  std::string name() const override { return "nobody"; }

 private:
  static constexpr AudioFormat kFormat{};
  static constexpr nanoseconds kBuffer{int64_t{1'000'000'000} * kLiveBufferSamples / kFormat.rate};

  void ask(const std::stop_token& stop) {
    std::vector<float> buffer(size_t{kLiveBufferSamples} * static_cast<size_t>(kFormat.channels));
    for (SteadyTime due = steady_now(); !stop.stop_requested(); due += kBuffer) {
      std::this_thread::sleep_until(std::chrono::steady_clock::time_point(due));
      if (!paused_) fill_(buffer);
    }
  }

  const AudioFill fill_;
  std::atomic<bool> paused_ = true;
  LoopThread thread_{[this](const std::stop_token& stop) { ask(stop); }};  // last: it uses the members above
};

}  // namespace

Result<std::unique_ptr<AudioOutput>> open_silent_audio_output(AudioFill fill) {
  return std::unique_ptr<AudioOutput>(std::make_unique<SilentOutput>(std::move(fill)));
}

}  // namespace texcast::player
