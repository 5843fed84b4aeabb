// sound_sender.h — sends the sound of a stream: reads or captures it, encodes it, and sends it in sync with the
// picture, on a thread of its own.
//
//     SoundSender sound(open_send_sound(…), destinations, settings);
//     send_stream(…, &sound);  // calls on_frame() for each frame
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
#include "live/sound_coder.h"
#include "media/audio_reader.h"
#include "media/live_sound.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// One of `reader` and `live` is set.
struct SendSound {
  std::unique_ptr<media::AudioReader> reader;  // sound of the picture's file
  nanoseconds begin{};                         // the time of the picture's first frame in it
  std::unique_ptr<media::LiveSound> live;      // captured sound, with times of its own
  std::string name;                            // for messages: "aac of clip.mp4"
};

struct SoundSettings {
  AudioSenderSettings wire{};
  nanoseconds packet = std::chrono::milliseconds(5);  // 2.5, 5 or 10 ms
  int opus_bits_per_s = 96'000;                       // per channel
  // False: pictures are written to captures as fast as possible, and the sound of each is made before on_frame()
  // returns. Not for captured sound.
  bool paced = true;
};

struct SoundSent {
  AudioSent wire;
  nanoseconds time{};  // duration of the sound
  std::string name;
  std::string coding;  // "pcm", "opus"
};

class SoundSender {
 public:
  // Begins with the first frame of the picture; captured sound at once. Throws what AudioSender throws.
  SoundSender(SendSound sound, const std::vector<std::string>& urls, const NetworkChoice& network,
              const SoundSettings& settings);
  ~SoundSender();
  SoundSender(const SoundSender&) = delete;
  SoundSender& operator=(const SoundSender&) = delete;

  // A frame of the picture was due at `available`. From any thread, or from one if not paced; returns soon. If not
  // paced, throws what reading threw.
  void on_frame(nanoseconds pts, nanoseconds place, WallTime available);
  // If not paced: makes the sound up to `end`, the end of the last frame. Throws as on_frame().
  void finish(WallTime end);
  // Stops sending; afterwards sent() is final. From the thread that owns this.
  void stop();
  // Sends silence while the picture is paused. From any thread.
  void set_paused(bool paused) { paused_ = paused; }
  // Follows the pictures to these destinations, a packet or two later (AudioSender::go_to()). From any thread; returns
  // soon.
  void go_to(std::vector<transport::Address> stream, std::vector<std::shared_ptr<web::Stream>> viewers = {});
  SoundSent sent() const;

 private:
  void run_with_picture(const std::stop_token& stop);
  void run_live(const std::stop_token& stop);
  void follow_destinations();
  std::optional<nanoseconds> send_due(WallTime now);
  void send(uint64_t position, WallTime captured, WallTime time);

  struct Clock;
  const SendSound sound_;
  const SoundSettings settings_;
  const uint32_t piece_;  // samples
  SoundCoder coder_;
  std::vector<float> samples_;  // of the current piece
  AudioSender sender_;
  std::atomic<bool> paused_ = false;
  mutable std::mutex mutex_;
  std::unique_ptr<Clock> clock_;  // with mutex_
  struct Places {
    std::vector<transport::Address> stream;
    std::vector<std::shared_ptr<web::Stream>> viewers;
  };
  std::optional<Places> go_to_;       // with mutex_; for follow_destinations()
  SoundSent sent_;                    // with mutex_
  std::optional<LoopThread> thread_;  // last: it uses the members above
};

}  // namespace texcast::stream
