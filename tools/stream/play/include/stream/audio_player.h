// audio_player.h — a recording's sound to the loudspeaker: decoded ahead on a thread of its own, and the clock that
// pictures keep to.
//
// The sound goes on without end: silence behind the last sample, or the beginning again in a loop, so that the clock
// runs on. It is pulled by the device; what time it is follows from how much was pulled.
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

// Made, used and destroyed on one thread.
class AudioPlayer {
 public:
  // `lap`: how long the recording is, and so when it begins again; none: when the sound ends. `clock` says when the
  // device asks for sound, and outlives the player. A Failure: no device.
  static Result<std::unique_ptr<AudioPlayer>> open(std::unique_ptr<media::AudioReader> reader,
                                                   std::optional<nanoseconds> lap,
                                                   const OpenAudioOutput& open_output = player::open_audio_output,
                                                   const Clock& clock = system_clock());
  ~AudioPlayer();
  AudioPlayer(const AudioPlayer&) = delete;
  AudioPlayer& operator=(const AudioPlayer&) = delete;

  // Forgets what was decoded and goes on from `place` in the recording, at `speed` times its pace and its own pitch;
  // heard as soon as some of it is decoded. heard() counts from `time`, which is `place` plus whole laps.
  void start(nanoseconds place, nanoseconds time, double speed);
  void stop();  // silence until the next start()
  void set_paused(bool paused);
  void set_loop(bool loop);
  void set_volume(double volume);  // 0..1

  // The time in the recording, going on over laps, that is heard at `now`. None while stopped, paused or until the
  // first sound after start() is out.
  std::optional<nanoseconds> heard(SteadyTime now) const;
  size_t decoded_ahead() const;         // frames that the device can have at once
  bool starting(SteadyTime now) const;  // after start(), until the first of it is heard

 private:
  enum class Phase { stopped, filling, playing };
  AudioPlayer(std::unique_ptr<media::AudioReader> reader, std::optional<nanoseconds> lap, const Clock& clock);
  std::optional<nanoseconds> out_at(SteadyTime now) const;
  void fill(std::span<float> out);  // the device's thread
  void decode(const std::stop_token& stop);
  void decode_until_stopped(const std::stop_token& stop);
  void set_format(AudioFormat format);
  size_t room() const { return ring_.size() - have_; }
  std::vector<float> next_sound(bool loop);
  void put(std::span<const float> sound, uint64_t starts, const std::stop_token& stop);

  const std::unique_ptr<media::AudioReader> reader_;  // the decoding thread's
  const std::optional<nanoseconds> lap_;
  const Clock& clock_;
  AudioFormat format_{};

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Phase phase_ = Phase::stopped;
  uint64_t starts_ = 0;  // counts start() and stop(): sound decoded before the last is of no use
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
  uint64_t played_ = 0;        // frames since start() that the device had before its last call
  uint64_t played_after_ = 0;  // and with it
  SteadyTime called_{};        // the device's last call

  // The decoding thread's:
  nanoseconds read_until_{};  // in this lap

  std::unique_ptr<player::AudioOutput> output_;  // before the threads that use the above: it has one
  std::optional<LoopThread> thread_;
};

}  // namespace texcast::stream
