#include "sink_core.h"

#include <chrono>

#include "background.h"
#include "key_file.h"
#include "texcast/device.h"
#include "texcast/stream_preset.h"
#include "words.h"

namespace texcast::gstreamer {
namespace {

constexpr double kUsualFps = 60;
constexpr std::chrono::seconds kSoundPatience(2);

// The preset's values for what was not given.
void use_preset(const SinkSettings& settings, SenderPlan& plan) {
  if (settings.preset == 0) return;
  StreamSenderSettings stream = plan.stream;
  EncoderSettings encoder = plan.encoder;
  apply_preset(stream_presets().at(static_cast<size_t>(settings.preset) - 1).name, stream, encoder);
  const SinkSettings::Given& given = settings.given;
  if (!given.format) plan.encoder.texture = encoder.texture;
  if (!given.plain) plan.stream.compact = stream.compact;
  if (!given.crf) plan.stream.crf = stream.crf;
  if (!given.fec) plan.stream.fec = stream.fec;
  if (!given.retransmit) plan.stream.retransmit = stream.retransmit;
  if (given.bitrate) return;
  plan.stream.bitrate = stream.bitrate;
  plan.stream.least_bitrate = stream.least_bitrate;
}

}  // namespace

std::vector<std::string> destinations_of(const std::string& property) {
  std::vector<std::string> urls = words_of(property);
  for (std::string& url : urls) url = with_scheme(url);
  return urls;
}

SenderPlan plan_of(const SinkSettings& settings, const VideoShape& video, const std::optional<SoundFormat>& sound) {
  SenderPlan plan{.stream = settings.stream, .encoder = settings.encoder};
  plan.stream.destinations = destinations_of(settings.destination);
  if (plan.stream.fps <= 0) plan.stream.fps = video.fps > 0 ? video.fps : kUsualFps;
  if (!settings.key_file.empty()) plan.stream.passphrase = passphrase_in(settings.key_file);
  plan.stream.quality = settings.encoder.quality;
  plan.stream.sound = sound;
  plan.encoder.source = video.format;
  use_preset(settings, plan);
  return plan;
}

void SinkCore::set_video(const std::optional<VideoShape>& video) {
  {
    const std::lock_guard lock(mutex_);
    video_ = video;
    sent_.reset();
    changed_.notify_all();
  }
  if (video)
    open();
  else
    stream_.close();
}

void SinkCore::expect_sound(bool expected) {
  const std::lock_guard lock(mutex_);
  expects_sound_ = expected;
  changed_.notify_all();
}

void SinkCore::set_sound(const std::optional<SoundFormat>& sound) {
  bool must_open = false;
  {
    const std::lock_guard lock(mutex_);
    must_open = sound && video_ && !awaits_sound_ && sent_ != sound;
    sound_ = sound;
    changed_.notify_all();
  }
  if (must_open) open();
}

bool SinkCore::takes_sound(const SoundFormat& sound) const {
  const std::lock_guard lock(mutex_);
  return sent_ == sound;
}

void SinkCore::open() {
  {
    const std::lock_guard lock(mutex_);
    awaits_sound_ = expects_sound_ && !sound_;
  }
  stream_.open([self = shared_from_this()] {
    const std::optional<SoundFormat> sound = self->settle_sound();
    SinkSettings settings;
    VideoShape video;
    {
      const std::lock_guard lock(self->mutex_);
      if (!self->video_) throw Error(ErrorKind::failed, "the stream ended before it began");
      settings = self->settings_;
      video = *self->video_;
      self->sent_ = sound;
    }
    const SenderPlan plan = plan_of(settings, video, sound);
    list_devices();  // loads the drivers
    outlast_loaded_libraries();
    return std::make_unique<StreamSender>(plan.stream, plan.encoder);
  });
}

std::optional<SoundFormat> SinkCore::settle_sound() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kSoundPatience, [this] { return !expects_sound_ || sound_ || !video_; });
  awaits_sound_ = false;
  return sound_;
}

}  // namespace texcast::gstreamer
