#include "stream/audio_player.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/log.h"
#include "media/audio_tempo.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

constexpr size_t kBlockFrames = 2048;    // decoded at a time
constexpr int kRingParts = 4;            // the ring is 1/4 s: 250 ms are decoded ahead
constexpr size_t kFramesToBegin = 2048;  // decoded before the first is heard
constexpr float kGlide = 1.0F / 480;     // change of volume per sample: 10 ms from silence to full, without a click

constexpr nanoseconds kDeviceGone = std::chrono::seconds(1);  // without a call: the picture runs by its own clock

nanoseconds length_of(uint64_t frames, int rate) {
  return nanoseconds(static_cast<int64_t>(static_cast<double>(frames) * 1e9 / rate));
}

}  // namespace

AudioPlayer::AudioPlayer(std::unique_ptr<media::AudioReader> reader, std::optional<nanoseconds> lap, const Clock& clock)
    : reader_(std::move(reader)), lap_(lap), clock_(clock) {}

Result<std::unique_ptr<AudioPlayer>> AudioPlayer::open(std::unique_ptr<media::AudioReader> reader,
                                                       std::optional<nanoseconds> lap,
                                                       const OpenAudioOutput& open_output, const Clock& clock) {
  std::unique_ptr<AudioPlayer> player(new AudioPlayer(std::move(reader), lap, clock));
  auto output = open_output([self = player.get()](std::span<float> out) { self->fill(out); });
  if (!output) return output.error();
  player->output_ = std::move(*output);
  player->set_format(player->output_->format());
  player->thread_.emplace([self = player.get()](const std::stop_token& stop) { self->decode(stop); });
  player->output_->set_paused(false);
  return player;
}

AudioPlayer::~AudioPlayer() {
  output_.reset();  // afterwards fill() is not called
}

void AudioPlayer::set_format(AudioFormat format) {
  const std::lock_guard lock(mutex_);
  format_ = format;
  reader_->set_format(format);
  ring_.resize(static_cast<size_t>(format.rate / kRingParts) * static_cast<size_t>(format.channels));
}

void AudioPlayer::start(nanoseconds place, nanoseconds time, double speed) {
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::filling;
    ++starts_;
    start_place_ = place;
    start_time_ = time;
    speed_ = speed;
    first_ = have_ = 0;
    played_ = played_after_ = 0;
  }
  changed_.notify_all();
}

void AudioPlayer::stop() {
  const std::lock_guard lock(mutex_);
  phase_ = Phase::stopped;
  ++starts_;
  first_ = have_ = 0;
}

void AudioPlayer::set_paused(bool paused) {
  output_->set_paused(paused);
  const std::lock_guard lock(mutex_);
  paused_ = paused;
  // The device stood still: its state before the pause says nothing about the time now.
  played_ = played_after_;
  called_ = {};
}

void AudioPlayer::set_loop(bool loop) {
  const std::lock_guard lock(mutex_);
  loop_ = loop;
}

void AudioPlayer::set_volume(double volume) {
  const std::lock_guard lock(mutex_);
  volume_ = static_cast<float>(std::clamp(volume, 0.0, 1.0));
}

// The duration that has been heard since start(); negative while the first sample is still in the device.
std::optional<nanoseconds> AudioPlayer::out_at(SteadyTime now) const {
  if (phase_ != Phase::playing || paused_ || called_ == SteadyTime{}) return std::nullopt;
  if (now - called_ > kDeviceGone) return std::nullopt;
  // Between two calls of the device time runs on, up to the samples that the device has.
  const nanoseconds given = length_of(played_after_ - played_, format_.rate);
  const nanoseconds since = std::clamp(now - called_, nanoseconds{}, 2 * given);
  return length_of(played_, format_.rate) + since - output_->latency();
}

std::optional<nanoseconds> AudioPlayer::heard(SteadyTime now) const {
  const std::lock_guard lock(mutex_);
  const auto out = out_at(now);
  if (!out || *out < nanoseconds{}) return std::nullopt;
  return start_time_ + nanoseconds(std::llround(static_cast<double>(out->count()) * speed_));
}

size_t AudioPlayer::decoded_ahead() const {
  const std::lock_guard lock(mutex_);
  return have_ / static_cast<size_t>(format_.channels);
}

bool AudioPlayer::starting(SteadyTime now) const {
  const std::lock_guard lock(mutex_);
  const auto out = out_at(now);
  return (phase_ == Phase::filling && !paused_) || (out && *out < nanoseconds{});
}

void AudioPlayer::fill(std::span<float> out) {
  {
    const std::lock_guard lock(mutex_);
    const auto channels = static_cast<size_t>(format_.channels);
    if (phase_ == Phase::filling && have_ >= kFramesToBegin * channels) phase_ = Phase::playing;
    const size_t count = phase_ == Phase::playing ? std::min(out.size(), have_) : 0;
    for (size_t i = 0; i < count; ++i) {
      if (i % channels == 0) volume_now_ += std::clamp(volume_ - volume_now_, -kGlide, kGlide);
      out[i] = ring_[(first_ + i) % ring_.size()] * volume_now_;
    }
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), 0.0F);
    first_ = (first_ + count) % ring_.size();
    have_ -= count;
    played_ = played_after_;
    played_after_ += count / channels;  // 0 if the decoder is behind: then time stands still
    called_ = clock_.now();
  }
  changed_.notify_all();
}

// The next block of the lap, or less; after the end silence, or in a loop the beginning.
std::vector<float> AudioPlayer::next_sound(bool loop) {
  const auto channels = static_cast<size_t>(format_.channels);
  size_t frames = kBlockFrames;
  if (lap_ && loop) {
    const int64_t left = std::llround(static_cast<double>((*lap_ - read_until_).count()) * 1e-9 * format_.rate);
    if (left <= 0) {
      read_until_ -= *lap_;  // not always 0: the loop may have been switched on after the end
      reader_->seek(read_until_);
      return {};
    }
    frames = std::min(frames, static_cast<size_t>(left));
  }
  std::vector<float> sound(frames * channels);
  const size_t got = reader_->read(sound);
  if (got < frames && loop && !lap_) {
    reader_->seek({});
    sound.resize(got * channels);
    frames = got;
  }
  read_until_ += length_of(frames, format_.rate);
  return sound;
}

void AudioPlayer::put(std::span<const float> sound, uint64_t starts, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!sound.empty()) {
    if (!changed_.wait(lock, stop, [&] { return starts_ != starts || room() > 0; }) || starts_ != starts) return;
    const size_t count = std::min(room(), sound.size());
    for (size_t i = 0; i < count; ++i) ring_[(first_ + have_ + i) % ring_.size()] = sound[i];
    have_ += count;
    sound = sound.subspan(count);
  }
}

void AudioPlayer::decode(const std::stop_token& stop) {
  try {
    decode_until_stopped(stop);
  } catch (const Error& error) {
    log_warning("audio has stopped: {}", error.what());
    this->stop();
  }
}

void AudioPlayer::decode_until_stopped(const std::stop_token& stop) {
  uint64_t starts = 0;
  std::unique_ptr<media::AudioTempo> tempo;
  std::vector<float> changed_pace;
  while (true) {
    bool loop = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [&] { return phase_ != Phase::stopped && (starts_ != starts || room() > 0); });
      if (stop.stop_requested()) return;
      loop = loop_;
      if (starts_ != starts) {
        starts = starts_;
        read_until_ = start_place_;
        const double speed = speed_;
        lock.unlock();
        reader_->seek(read_until_);
        tempo = speed == 1 ? nullptr : std::make_unique<media::AudioTempo>(format_, speed);
      }
    }
    const std::vector<float> sound = next_sound(loop);
    if (sound.empty()) continue;
    if (!tempo) {
      put(sound, starts, stop);
      continue;
    }
    changed_pace.clear();
    tempo->convert(sound, changed_pace);
    put(changed_pace, starts, stop);
  }
}

}  // namespace texcast::stream
