#include "texcast/transcoder.h"

#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "base/misuse.h"
#include "formats/require_texture.h"
#include "ref/decode.h"
#include "ref/encode.h"
#include "ref/ycocg_repack.h"
#include "stages/transcode_stage.h"
#include "transcoders.h"

namespace texcast {
namespace {

// Sample number `index`, rounded to a byte.
uint8_t byte_of(const DecodedImage& image, size_t index) {
  if (image.samples == SampleType::unorm8) return image.pixels[index];
  ENSURE(image.samples == SampleType::unorm16);
  uint16_t wide = 0;
  std::memcpy(&wide, &image.pixels[2 * index], sizeof wide);
  return static_cast<uint8_t>((wide + 128) / 257);
}

// Writes a decoded picture as the frame that stages::decoded_frame() describes.
void put_pixels(const DecodedImage& image, std::vector<uint8_t>& frame) {
  const auto channels = static_cast<size_t>(image.channels);
  const size_t pixels = static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
  frame.resize(4 * pixels);
  for (size_t i = 0; i < pixels; ++i) {
    const auto channel = [&](size_t c) { return byte_of(image, channels * i + c); };
    uint8_t* to = &frame[4 * i];
    to[0] = channel(0);
    to[1] = channels == 1 ? to[0] : channel(1);
    to[2] = channels == 1 ? to[0] : channels == 2 ? uint8_t{} : channel(2);
    to[3] = channels == 4 ? channel(3) : uint8_t{255};
  }
}

// Decodes and encodes again.
class Recoding {
 public:
  void make(const TextureView& texture, TextureFormat to, Method method, std::span<std::byte> blocks) {
    ref::decode(texture, EndpointExpansion::replicate, image_);
    put_pixels(image_, frame_);
    const FrameFormat format = stages::decoded_frame(texture.desc);
    const FrameView view{format, {{{reinterpret_cast<const std::byte*>(frame_.data()), 4 * format.width}, {}, {}}}};
    ref::encode(view, to, method, blocks);
  }

 private:
  DecodedImage image_;
  std::vector<uint8_t> frame_;
};

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
    REQUIRE_USE(texture.desc == settings_.from, "the texture differs from TranscoderSettings::from");
    require_whole(texture, "Transcoder::submit");
    Slot& slot = slots_[submitted_++ % slots_.size()];
    const SteadyTime start = steady_now();
    const Method method = method_for(settings_.to, settings_.quality);
    if (is_planar_ycocg(settings_.from.format))
      ref::repack_ycocg(texture, method, slot.blocks);
    else
      recoding_.make(texture, settings_.to, method, slot.blocks);
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
  Recoding recoding_;
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
  if (is_planar_ycocg(from)) return to == TextureFormat::ycocg_dxt5;
  if (from == to || !stages::can_decode(from) || !is_encoded(to)) return false;
  const Format &source = format_row(from), &target = format_row(to);
  return target.model == source.model || target.model == ColorModel::rgb || target.model == ColorModel::rgba;
}

std::unique_ptr<Transcoder> make_transcoder(const TranscoderSettings& settings) {
  require_valid(settings.from, __func__);
  REQUIRE_USE(can_transcode(settings.from.format, settings.to),
              "one format cannot be converted to the other (can_transcode)");
  REQUIRE_USE(has_quality(settings.to, settings.quality), "the format does not have this quality (has_quality)");
  REQUIRE_USE(settings.frames_in_flight >= 1 && settings.frames_in_flight <= 16, "frames_in_flight must be 1 to 16");
  const DeviceChoice choice = choose_device(settings.device);
  return choice.cpu_reference ? make_reference_transcoder(settings) : make_ocl_transcoder(settings, choice.device);
}

}  // namespace texcast
