#include "texcast/transcoder.h"

#include <vector>

#include "base/misuse.h"
#include "formats/require_texture.h"
#include "ref/ycocg_repack.h"
#include "transcoders.h"

namespace texcast {
namespace {

class ReferenceTranscoder : public Transcoder {
 public:
  explicit ReferenceTranscoder(const TranscoderSettings& settings)
      : settings_(settings),
        desc_(::texcast::texture_desc(settings)),
        slots_(static_cast<size_t>(settings.frames_in_flight) + 1) {
    for (Slot& slot : slots_) slot.blocks.resize(texture_layout(desc_).total_bytes);
  }

  void submit(const TextureView& texture) override {
    REQUIRE_USE(in_flight() < capacity(), "as many textures as fit are in flight: next() makes room");
    REQUIRE_USE(texture.desc == settings_.from, "the texture is not as TranscoderSettings has it");
    require_whole(texture, "Transcoder::submit");
    Slot& slot = slots_[submitted_++ % slots_.size()];
    const SteadyTime start = steady_now();
    ref::repack_ycocg(texture, method_for(settings_.to, settings_.quality), slot.blocks);
    slot.time = steady_now() - start;
  }

  TextureView next() override {
    REQUIRE_USE(in_flight() > 0, "no texture is in flight");
    const Slot& slot = slots_[taken_++ % slots_.size()];
    last_time_ = slot.time;
    return {desc_, slot.blocks};
  }

  bool ready() const override { return in_flight() > 0; }
  int in_flight() const override { return static_cast<int>(submitted_ - taken_); }
  int capacity() const override { return settings_.frames_in_flight; }
  TextureDesc texture_desc() const override { return desc_; }
  StageTimes last_stage_times() const override { return {.kernel = last_time_}; }
  std::string device_name() const override { return "cpu-reference"; }

 private:
  struct Slot {
    std::vector<std::byte> blocks;
    nanoseconds time{};
  };
  TranscoderSettings settings_;
  TextureDesc desc_;
  std::vector<Slot> slots_;
  size_t submitted_ = 0;
  size_t taken_ = 0;
  nanoseconds last_time_{};
};

}  // namespace

std::unique_ptr<Transcoder> make_reference_transcoder(const TranscoderSettings& settings) {
  return std::make_unique<ReferenceTranscoder>(settings);
}

bool can_transcode(TextureFormat from, TextureFormat to) {
  return is_planar_ycocg(from) && to == TextureFormat::ycocg_dxt5;
}

std::unique_ptr<Transcoder> make_transcoder(const TranscoderSettings& settings) {
  require_valid(settings.from, __func__);
  REQUIRE_USE(can_transcode(settings.from.format, settings.to), "one format is not made of the other (can_transcode)");
  REQUIRE_USE(has_quality(settings.to, settings.quality), "the format does not have this quality (has_quality)");
  REQUIRE_USE(settings.frames_in_flight >= 1 && settings.frames_in_flight <= 16, "1 to 16 textures are in flight");
  const DeviceChoice choice = choose_device(settings.device);
  return choice.cpu_reference ? make_reference_transcoder(settings) : make_ocl_transcoder(settings, choice.device);
}

}  // namespace texcast
