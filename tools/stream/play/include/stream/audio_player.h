// audio_player.h — plays a recording's sound, decoded ahead on a thread of its own. It is the clock to which the
// pictures are synchronised.
//
// The sound has no end: silence follows the last sample, or in a loop the beginning, so that the clock keeps running.
// The device pulls the samples; the number that it has pulled gives the time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/loop_thread.h"
#include "media/audio_reader.h"
#include "player/audio_output.h"

namespace texcast::stream {

using OpenAudioOutput = std::function<Result<std::unique_ptr<player::AudioOutput>>(player::AudioFill)>;

// Created, used and destroyed on one thread.
class AudioPlayer {
 public:
  // `lap`: the length of the recording, after which a loop begins again; nullopt: the length of the sound. `clock`
  // gives the time at which the device asks for sound, and must outlive the player. A Failure: there is no device.
  static Result<std::unique_ptr<AudioPlayer>> open(std::unique_ptr<media::AudioReader> reader,
                                                   std::optional<nanoseconds> lap,
                                                   const OpenAudioOutput& open_output = player::open_audio_output,
                                                   const Clock& clock = system_clock());
  ~AudioPlayer();
  AudioPlayer(const AudioPlayer&) = delete;
  AudioPlayer& operator=(const AudioPlayer&) = delete;

  // Discards decoded sound and continues from `place` in the recording, at `speed` with unchanged pitch; it is heard as
  // soon as enough is decoded. heard() counts from `time`, which is `place` plus complete laps.
  void start(nanoseconds place, nanoseconds time, double speed);
  void stop();  // silence until the next start()
  void set_paused(bool paused);
  void set_loop(bool loop);
  void set_volume(double volume);  // 0..1

  // The time in the recording that is heard at `now`; it keeps rising over laps. nullopt while stopped or paused, and
  // after start() until the first sample is heard.
  std::optional<nanoseconds> heard(SteadyTime now) const;
  size_t decoded_ahead() const;         // sample frames that the device can have at once
  bool starting(SteadyTime now) const;  // after start(), until the first sample is heard

 private:
  enum class Phase { stopped, filling, playing };
  AudioPlayer(std::unique_ptr<media::AudioReader> reader, std::optional<nanoseconds> lap, const Clock& clock);
  std::optional<nanoseconds> out_at(SteadyTime now) const;
  void fill(std::span<float> out);  // on the device's thread
  void decode(const std::stop_token& stop);
  void decode_until_stopped(const std::stop_token& stop);
  void set_format(AudioFormat format);
  size_t room() const { return ring_.size() - have_; }
  std::vector<float> next_sound(bool loop);
  void put(std::span<const float> sound, uint64_t starts, const std::stop_token& stop);

  const std::unique_ptr<media::AudioReader> reader_;  // decoding thread
  const std::optional<nanoseconds> lap_;
  const Clock& clock_;
  AudioFormat format_{};

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Phase phase_ = Phase::stopped;
  uint64_t starts_ = 0;  // counts start() and stop(): sound decoded before the last one is discarded
  nanoseconds start_place_{};
  nanoseconds start_time_{};
  double speed_ = 1;
  bool paused_ = false;
  bool loop_ = false;
  float volume_ = 1;
  float volume_now_ = 1;     // glides to volume_
  std::vector<float> ring_;  // interleaved
  size_t first_ = 0;
  size_t have_ = 0;
  uint64_t played_ = 0;        // sample frames since start() that the device had before its last call
  uint64_t played_after_ = 0;  // the same after that call
  SteadyTime called_{};        // the device's last call

  nanoseconds read_until_{};  // in this lap; decoding thread

  std::unique_ptr<player::AudioOutput> output_;  // has a thread that uses the members above
  std::optional<LoopThread> thread_;
};

}  // namespace texcast::stream
