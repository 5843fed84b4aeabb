#include "stream/live_sound_player.h"

#include <algorithm>
#include <utility>

namespace texcast::stream {
namespace {
constexpr float kVolumeGlide = 1.0F / 480;  // change per sample: 10 ms from silence to full volume
}

Result<std::unique_ptr<LiveSoundPlayer>> LiveSoundPlayer::open(const OpenAudioOutput& open_output, ClickEar* ear) {
  std::unique_ptr<LiveSoundPlayer> player(new LiveSoundPlayer(ear));
  auto output = open_output([self = player.get()](std::span<float> out) { self->fill(out); });
  if (!output) return output.error();
  {
    const std::lock_guard lock(player->mutex_);
    player->output_ = std::move(*output);
    player->card_ = player->output_->format();
    player->latency_ = player->output_->latency();
    player->playout_.emplace(player->card_, player->latency_, player->latency_);
  }
  player->output_->set_paused(false);
  return player;
}

LiveSoundPlayer::~LiveSoundPlayer() {
  output_.reset();  // afterwards fill() is not called
}

void LiveSoundPlayer::put(const SoundBlock& block) {
  const std::lock_guard lock(mutex_);
  playout_->put(block);
}

void LiveSoundPlayer::on_picture(WallTime available, SteadyTime shown) {
  const std::lock_guard lock(mutex_);
  playout_->on_picture(available, shown);
}

void LiveSoundPlayer::set_volume(double volume) {
  const std::lock_guard lock(mutex_);
  volume_ = static_cast<float>(std::clamp(volume, 0.0, 1.0));
}

SoundPlayoutState LiveSoundPlayer::state() const {
  const std::lock_guard lock(mutex_);
  return playout_->state();
}

void LiveSoundPlayer::fill(std::span<float> out) {
  const std::lock_guard lock(mutex_);
  if (!playout_) {
    std::ranges::fill(out, 0.0F);
    return;
  }
  const SteadyTime now = steady_now();
  const WallTime given = wall_now();
  playout_->fill(out, now + latency_);
  const auto channels = static_cast<size_t>(card_.channels);
  for (size_t i = 0; i < out.size(); ++i) {
    if (i % channels == 0) volume_now_ += std::clamp(volume_ - volume_now_, -kVolumeGlide, kVolumeGlide);
    out[i] *= volume_now_;
  }
  if (ear_ != nullptr) ear_->hear(out, card_, given, now, latency_, *playout_);
}

}  // namespace texcast::stream
