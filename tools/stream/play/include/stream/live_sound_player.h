// live_sound_player.h — plays a live stream's sound. Blocks arrive on one thread, frames are shown on another, and the
// device asks for samples on a third.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "player/audio_output.h"
#include "stream/audio_player.h"
#include "stream/click_ear.h"
#include "stream/sound_playout.h"

namespace texcast::stream {

// Created, used and destroyed on one thread, except put() and on_picture().
class LiveSoundPlayer {
 public:
  // A Failure: there is no device. `ear` (or nullptr) gets all samples that the device gets, and must outlive this.
  static Result<std::unique_ptr<LiveSoundPlayer>> open(
      const OpenAudioOutput& open_output = player::open_live_audio_output, ClickEar* ear = nullptr);
  ~LiveSoundPlayer();
  LiveSoundPlayer(const LiveSoundPlayer&) = delete;
  LiveSoundPlayer& operator=(const LiveSoundPlayer&) = delete;

  void put(const SoundBlock& block);
  void on_picture(WallTime available, SteadyTime shown);
  void set_volume(double volume);  // 0..1
  SoundPlayoutState state() const;

 private:
  explicit LiveSoundPlayer(ClickEar* ear) : ear_(ear) {}
  void fill(std::span<float> out);

  ClickEar* const ear_;
  mutable std::mutex mutex_;
  std::optional<SoundPlayout> playout_;
  AudioFormat card_{};
  nanoseconds latency_{};
  float volume_ = 1, volume_now_ = 1;            // the second glides to the first
  std::unique_ptr<player::AudioOutput> output_;  // last: its thread uses the members above
};

}  // namespace texcast::stream
