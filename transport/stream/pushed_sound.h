// pushed_sound.h — sends the sound that a program passes along with its pictures, on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "live/audio_sender.h"
#include "live/picture_clock.h"
#include "live/sound_coder.h"
#include "sound_pieces.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct PushedSoundStatus {
  AudioSent sent{};
  uint64_t dropped = 0;  // samples per channel that put() did not take
};

// All members may be called on any thread.
class PushedSound {
 public:
  static constexpr nanoseconds kMostWaiting = std::chrono::seconds(2);

  // `wire`: with coding, rate, bits and channels of the sound. Throws what AudioSender and SoundCoder throw.
  PushedSound(const std::vector<std::string>& urls, const NetworkChoice& network, const AudioSenderSettings& wire);
  ~PushedSound();
  PushedSound(const PushedSound&) = delete;
  PushedSound& operator=(const PushedSound&) = delete;

  // Never waits. False: dropped, because more than kMostWaiting would wait. Sound from before the first picture waits
  // for it; of that, the latest kMostWaiting are kept. Throws what ended the thread.
  bool put(std::span<const float> samples, nanoseconds pts);
  // A picture that is sent, with its time stamp and the time at which it was available.
  void on_frame(nanoseconds pts, WallTime available);
  // Sends the rest of the sound, filled with silence to a whole piece. Returns at once.
  void flush();
  // Nothing waits that can be sent.
  bool is_drained() const;
  PushedSoundStatus status() const;

 private:
  struct Taken {
    uint64_t position = 0;
    WallTime captured{};
  };
  void run(const std::stop_token& stop);
  std::optional<Taken> take();
  bool make_room(nanoseconds length);

  const AudioFormat format_;
  const uint32_t piece_;
  SoundCoder coder_;
  AudioSender sender_;
  std::vector<float> samples_;  // of the piece that is being sent; used by the thread only
  mutable std::mutex mutex_;    // protects the following
  SoundPieces pieces_;
  PictureClock pictures_;
  PushedSoundStatus status_;
  bool sending_ = false;
  LoopThread thread_;  // last: it uses the members above
};

}  // namespace texcast::stream
