// sound_sender.h — the sound that goes with a picture that is sent: read or captured, coded, and sent beside it, on a
// thread of its own.
//
//     SoundSender sound(open_send_sound(…), destinations, settings);
//     send_stream(…, &sound);  // which tells it of each frame
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "live/audio_sender.h"
#include "media/audio_reader.h"
#include "media/live_sound.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// One of the two.
struct SendSound {
  std::unique_ptr<media::AudioReader> reader;  // goes along with the picture
  nanoseconds begin{};                         // where the picture's first frame is in it
  std::unique_ptr<media::LiveSound> live;      // goes its own way, and has its own times
  std::string name;                            // for people: "aac of clip.mp4"
};

struct SoundSettings {
  AudioSenderSettings wire{};
  nanoseconds packet = std::chrono::milliseconds(5);  // 2.5, 5 or 10 ms
  int opus_bits_per_s = 96'000;                       // of each channel
  // False: the pictures go as fast as they can, into captures alone, and the sound of each is made before on_frame()
  // returns. Not of a live one.
  bool paced = true;
};

struct SoundSent {
  AudioSent wire;
  nanoseconds time{};  // of sound
  std::string name;
  std::string coding;  // "pcm", "opus"
};

class SoundSender {
 public:
  // Begins with the first frame of the picture; a live one at once. Throws as AudioSender.
  SoundSender(SendSound sound, const std::vector<std::string>& urls, const NetworkChoice& network,
              const SoundSettings& settings);
  ~SoundSender();
  SoundSender(const SoundSender&) = delete;
  SoundSender& operator=(const SoundSender&) = delete;

  // A frame of the picture was due at `available` on the wall clock. From any thread, where not paced from one; never
  // waits for long. Throws what reading met where not paced.
  void on_frame(nanoseconds pts, nanoseconds place, WallTime available);
  // Where not paced: the last frame is seen until then, and heard as long. Throws as on_frame().
  void finish(WallTime end);
  // Nothing more is sent, and sent() says all that was. From the thread that owns this.
  void stop();
  // While the picture is paused: silence. From any thread.
  void set_paused(bool paused) { paused_ = paused; }
  // The pictures go there from now on, and so does the sound, a packet or two later (AudioSender::go_to()). From any
  // thread; never waits for long.
  void go_to(std::vector<transport::Address> stream);
  SoundSent sent() const;

 private:
  class Coder;
  void run_with_picture(const std::stop_token& stop);
  void run_live(const std::stop_token& stop);
  void follow_destinations();
  std::optional<nanoseconds> send_due(WallTime now);
  void send(uint64_t position, WallTime captured, WallTime time);

  struct Clock;
  const SendSound sound_;
  const SoundSettings settings_;
  const uint32_t piece_;  // samples
  std::unique_ptr<Coder> coder_;
  std::vector<float> samples_;  // of the piece that is being made
  AudioSender sender_;
  std::atomic<bool> paused_ = false;
  mutable std::mutex mutex_;
  std::unique_ptr<Clock> clock_;                          // with mutex_
  std::optional<std::vector<transport::Address>> go_to_;  // with mutex_: what follow_destinations() has not done yet
  SoundSent sent_;                                        // with mutex_
  std::optional<LoopThread> thread_;                      // last: it uses all of the above
};

}  // namespace texcast::stream
