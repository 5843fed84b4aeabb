#include "media/live_sound.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "media/ffmpeg.h"
#include "sound_decoding.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr AudioFormat kCaptured{};  // 48 kHz stereo
// A device's time stamp is used if it is that close to the present time; otherwise the samples are assumed to be as old
// as they are long.
constexpr nanoseconds kBelievable = std::chrono::milliseconds(500);

constexpr nanoseconds kNoTime = nanoseconds::min();

constexpr std::string_view kDevices[] = {"pulse", "alsa"};

std::pair<std::string, std::string> driver_and_name(const std::string& source) {
  const size_t colon = source.find(':');
  if (colon == std::string::npos) return {};
  std::string name = source.substr(colon + 1);
  if (name.starts_with(':')) name.erase(0, 1);  // "pulse::NAME", as FFmpeg's inputs are written elsewhere
  return {source.substr(0, colon), name.empty() ? "default" : name};
}

InputPtr open_device(const std::string& driver, const std::string& name, const std::string& source) {
  set_up_ffmpeg();
  avdevice_register_all();
  const AVInputFormat* format = av_find_input_format(driver.c_str());
  if (format == nullptr)
    throw Error(ErrorKind::input,
                fmt::format("--audio-source {}: this FFmpeg has no '{}' to capture with", source, driver));
  Options options;
  options.set("sample_rate", "48000");
  options.set("channels", "2");
  if (driver == "pulse") options.set("fragment_size", "960");  // 5 ms
  AVFormatContext* raw = nullptr;
  take_last_av_line();
  const int code = avformat_open_input(&raw, name.c_str(), format, driver == "lavfi" ? nullptr : options.out());
  if (code < 0)
    throw Error(ErrorKind::input,
                fmt::format("--audio-source {}: {}{}", source, av_reason(code),
                            driver == "pulse"  ? "; is a sound server running? (pactl list short sources)"
                            : driver == "alsa" ? "; arecord -L lists the devices"
                                               : ""));
  return InputPtr(raw);
}

AVStream& sound_of(AVFormatContext& input, const std::string& source) {
  for (unsigned i = 0; i < input.nb_streams; ++i)
    if (input.streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO) return *input.streams[i];
  throw Error(ErrorKind::input, fmt::format("--audio-source {}: there is no sound in it", source));
}

CodecPtr decoder_of(const AVStream& track, const std::string& source) {
  CodecPtr decoder = open_sound_decoder(track);
  if (!decoder) throw Error(ErrorKind::input, fmt::format("--audio-source {}: its sound cannot be decoded", source));
  return decoder;
}

// Packets of one input, decoded to floats.
class SoundInput {
 public:
  SoundInput(const std::string& driver, const std::string& name, const std::string& source)
      : input_(open_device(driver, name, source)),
        track_(sound_of(*input_, source)),
        decoder_(decoder_of(track_, source)) {}

  // Appends the next packet's samples. False at the end; `pts`: its time stamp, or kNoTime.
  bool read(AudioFormat format, std::vector<float>& out, nanoseconds& pts) {
    for (;;) {
      const int got = avcodec_receive_frame(decoder_.get(), frame_.get());
      if (got == 0) {
        if (!resampler_) resampler_.emplace(*frame_, format);
        pts = kNoTime;
        if (frame_->pts != AV_NOPTS_VALUE) pts = nanoseconds(av_rescale_q(frame_->pts, track_.time_base, kNanoseconds));
        resampler_->convert(*frame_, out);
        av_frame_unref(frame_.get());
        return true;
      }
      if (got != AVERROR(EAGAIN)) return false;
      do {
        av_packet_unref(packet_.get());
        if (const int code = av_read_frame(input_.get(), packet_.get()); code < 0) {
          if (avcodec_send_packet(decoder_.get(), nullptr) < 0) return false;
          break;
        }
      } while (packet_->stream_index != track_.index);
      if (packet_->size > 0) avcodec_send_packet(decoder_.get(), packet_.get());
    }
  }

 private:
  InputPtr input_;
  AVStream& track_;
  CodecPtr decoder_;
  std::optional<SoundResampler> resampler_;
  PacketPtr packet_ = make_packet();
  FramePtr frame_ = make_frame();
};

class CapturedInput final : public LiveSound {
 public:
  CapturedInput(const std::string& driver, const std::string& name, const std::string& source)
      : input_(driver, name, source) {}
  AudioFormat format() const override { return kCaptured; }
  std::optional<CapturedSound> next() override {
    samples_.clear();
    nanoseconds pts = kNoTime;
    while (samples_.empty())
      if (!input_.read(kCaptured, samples_, pts)) return std::nullopt;
    const WallTime now = wall_now();
    const auto frames = static_cast<int64_t>(samples_.size()) / kCaptured.channels;
    WallTime captured = now - nanoseconds(frames * 1'000'000'000 / kCaptured.rate);
    if (pts != kNoTime && std::chrono::abs(now.time_since_epoch() - pts) < kBelievable) captured = WallTime(pts);
    return CapturedSound{samples_, captured};
  }

 private:
  SoundInput input_;
  std::vector<float> samples_;
};

class GraphSound final : public AudioReader {
 public:
  explicit GraphSound(const std::string& graph) : graph_(graph) { open(); }
  std::string codec_name() const override { return "lavfi"; }
  AudioFormat stored() const override { return format_; }
  void set_format(AudioFormat format) override {
    format_ = format;
    open();
  }
  void seek(nanoseconds pts) override {
    const int64_t target = std::max<int64_t>(0, std::llround(in_seconds(pts) * format_.rate));
    if (target < position_) open();
    while (position_ < target && more()) {
      const auto skipped = std::min<int64_t>(target - position_, waiting());
      position_ += skipped;
      taken_ += static_cast<size_t>(skipped * format_.channels);
    }
  }
  size_t read(std::span<float> out) override {
    const auto channels = static_cast<size_t>(format_.channels);
    size_t done = 0;
    while (done < out.size() / channels && more()) {
      const size_t count = std::min(out.size() / channels - done, static_cast<size_t>(waiting()));
      std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(taken_), count * channels,
                  out.begin() + static_cast<std::ptrdiff_t>(done * channels));
      taken_ += count * channels;
      done += count;
    }
    position_ += static_cast<int64_t>(done);
    return done;
  }

 private:
  void open() {
    input_.emplace("lavfi", graph_, "lavfi:" + graph_);
    ready_.clear();
    taken_ = 0;
    position_ = 0;
  }
  int64_t waiting() const { return static_cast<int64_t>(ready_.size() - taken_) / format_.channels; }
  bool more() {
    while (waiting() == 0) {
      ready_.clear();
      taken_ = 0;
      nanoseconds ignored{};
      if (!input_->read(format_, ready_, ignored)) return false;
    }
    return true;
  }

  const std::string graph_;
  AudioFormat format_;
  std::optional<SoundInput> input_;
  std::vector<float> ready_;
  size_t taken_ = 0;
  int64_t position_ = 0;
};

}  // namespace

bool is_live_sound(const std::string& source) {
  const std::string driver = driver_and_name(source).first;
  return std::ranges::find(kDevices, driver) != std::end(kDevices);
}

std::unique_ptr<LiveSound> open_live_sound(const std::string& source) {
  const auto [driver, name] = driver_and_name(source);
  return std::make_unique<CapturedInput>(driver, name, source);
}

std::unique_ptr<AudioReader> open_sound_graph(const std::string& graph) { return std::make_unique<GraphSound>(graph); }

}  // namespace texcast::media
