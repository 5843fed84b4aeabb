// placed_sound.h — receives the sound of a stream, decoded and with its place on the time line of the pictures, for
// programs (texcast/stream_receiver.h).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "live/picture_sender.h"
#include "live/sound_place.h"
#include "live/sound_receiver.h"
#include "texcast/sound.h"
#include "textures/block_pool.h"

namespace texcast::stream {

// The time stamps of blocks of sound: blocks that follow each other are one sequence of samples, unless their places
// move apart by more than kApart. No threads, no clock.
class SoundSequence {
 public:
  static constexpr nanoseconds kApart = std::chrono::milliseconds(2);
  // The time stamp of a block whose place is `place`.
  nanoseconds next(const SoundBlock& block, nanoseconds place) {
    const nanoseconds expected = begin_ + duration(samples_);
    if (block.new_stream || rate_ != block.format.rate || std::chrono::abs(place - expected) > kApart) {
      begin_ = place;
      samples_ = 0;
      rate_ = block.format.rate;
    }
    const nanoseconds pts = begin_ + duration(samples_);
    samples_ += static_cast<int64_t>(block.samples.size()) / block.format.channels;
    return pts;
  }

 private:
  nanoseconds duration(int64_t samples) const {
    return rate_ > 0 ? nanoseconds(samples * 1'000'000'000 / rate_) : nanoseconds{};
  }

  nanoseconds begin_{};  // of the first block of the sequence
  int64_t samples_ = 0;  // since then
  int rate_ = 0;         // 0: no block yet
};

class PlacedSound {
 public:
  using OnSound = std::function<void(const texcast::ReceivedSound& sound)>;  // on a thread of its own

  // Starts at once. `on_sound` must not throw: a StreamReceiver stores an exception of the program's callback, and ends
  // the whole reception.
  PlacedSound(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
              OnSound on_sound);

  // On the thread of the pictures: the sender whose pictures follow, and a picture. Sound is delivered from the first
  // picture on, which gives it its place.
  void on_picture_sender(const transport::PeerAddress& from) { sender_ = from; }
  void on_frame(const PooledFrame& frame);

  SoundStatus status() const { return receiver_.status(); }  // any thread
  void stop() { receiver_.stop(); }                          // afterwards `on_sound` is not called

 private:
  void pass_on(const SoundBlock& block);

  const OnSound on_sound_;
  std::optional<transport::PeerAddress> sender_;
  PictureSender picture_;
  std::mutex mutex_;
  SoundPlace place_;        // with mutex_
  SoundSequence sequence_;  // used by the sound's thread
  SoundReceiver receiver_;  // last: its thread uses the above
};

}  // namespace texcast::stream
