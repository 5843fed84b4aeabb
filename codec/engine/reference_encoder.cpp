#include <utility>
#include <vector>

#include "base/ensure.h"
#include "encoders.h"
#include "ref/encode.h"

namespace texcast {
namespace {

class ReferenceEncoder : public Encoder {
 public:
  explicit ReferenceEncoder(const EncoderSettings& settings)
      : settings_(settings),
        desc_(::texcast::texture_desc(settings)),
        slots_(static_cast<size_t>(settings.frames_in_flight) + 1) {
    for (Slot& slot : slots_) slot.blocks.resize(texture_layout(desc_).total_bytes);
  }

  void submit(const FrameView& frame, const FrameTimes& times) override {
    ENSURE(in_flight() < capacity());
    ENSURE(frame.format == settings_.source);
    Slot& slot = slots_[submitted_++ % slots_.size()];
    const SteadyTime start = steady_now();
    ref::encode(frame, settings_.texture, method_of(settings_), slot.blocks, settings_.options);
    slot.stages.kernel = steady_now() - start;
    slot.times = times;
    slot.times.encoded = wall_now();
    if (on_progress_) on_progress_();
  }

  EncodedFrame next() override {
    ENSURE(in_flight() > 0);
    const Slot& slot = slots_[taken_++ % slots_.size()];
    last_stages_ = slot.stages;
    return {{desc_, slot.blocks}, slot.times};
  }

  bool ready() const override { return in_flight() > 0; }
  size_t ready_bytes() override { return in_flight() > 0 ? texture_layout(desc_).total_bytes : 0; }
  EncodedFrame peek() override {
    ENSURE(in_flight() > 0);
    const Slot& slot = slots_[taken_ % slots_.size()];
    return {{desc_, slot.blocks}, slot.times};
  }
  void on_progress(std::function<void()> call) override { on_progress_ = std::move(call); }
  int in_flight() const override { return static_cast<int>(submitted_ - taken_); }
  int capacity() const override { return settings_.frames_in_flight; }
  TextureDesc texture_desc() const override { return desc_; }
  StageTimes last_stage_times() const override { return last_stages_; }
  std::string device_name() const override { return "cpu-reference"; }

 private:
  struct Slot {
    std::vector<std::byte> blocks;
    FrameTimes times;
    StageTimes stages;
  };
  EncoderSettings settings_;
  TextureDesc desc_;
  std::vector<Slot> slots_;
  std::function<void()> on_progress_;
  size_t submitted_ = 0;
  size_t taken_ = 0;
  StageTimes last_stages_;
};

}  // namespace

std::unique_ptr<Encoder> make_reference_encoder(const EncoderSettings& settings) {
  return std::make_unique<ReferenceEncoder>(settings);
}

}  // namespace texcast
