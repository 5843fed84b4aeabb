// fake_clip.h — a recording of 4x8 pixels without a file.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "../patience.h"
#include "media/clip_reader.h"
#include "stream/read_ahead.h"
#include "texcast/error.h"

namespace texcast::test {

using namespace std::chrono_literals;

// Frames at intervals of `frame_time`; the first byte of each is its number. Frame `damaged` cannot be read.
class FakeClip : public media::ClipReader {
 public:
  explicit FakeClip(int frames, int damaged = -1, int throws_at = -1, nanoseconds frame_time = 50ms)
      : frames_(frames), damaged_(damaged), throws_at_(throws_at), frame_time_(frame_time) {
    info_.path = "fake.mov";
    info_.texture = {.format = TextureFormat::bc1, .width = 8, .height = 4};
    info_.fps = 1e9 / static_cast<double>(frame_time.count());
    info_.duration = frames * frame_time;
    info_.frame_count = frames;
  }
  const media::ClipInfo& info() const override { return info_; }
  Result<std::optional<media::StoredFrame>> next_stored() override {
    if (at_ == throws_at_) throw Error(ErrorKind::corrupt, "the disk is gone");
    if (at_ >= frames_) return std::optional<media::StoredFrame>{};
    const int number = at_++;
    return std::optional(media::StoredFrame{.pts = number * frame_time_,
                                            .duration = frame_time_,
                                            .number = number,
                                            .stored_bytes = 500,  // not the size of its blocks
                                            .damage = number == damaged_ && most_is_there_ ? "in part" : ""});
  }
  Result<void> unpack(const media::StoredFrame& stored, MutableBytes blocks) const override {
    if (stored.number == damaged_ && !most_is_there_) return Failure{"frame is damaged"};
    ++unpacked_;
    const int enough = std::min(frames_, static_cast<int>(stored.number) + kReadAhead);
    for (SteadyTime limit = steady_now() + kPatience; unpacks_last_ && at_ < enough && steady_now() < limit;)
      std::this_thread::sleep_for(100us);
    blocks[0] = static_cast<std::byte>(stored.number);
    if (stored.number == damaged_) return Failure{"frame is damaged"};
    return {};
  }
  void seek(nanoseconds pts) override { seek_to_frame(pts / frame_time_); }
  void seek_to_frame(int64_t number) override { at_ = static_cast<int>(std::clamp<int64_t>(number, 0, frames_ - 1)); }

  // While it is set, a frame is unpacked only after the maximum number of frames, including it, has been read.
  std::atomic<bool>& unpacks_last() { return unpacks_last_; }
  void set_most_is_there() { most_is_there_ = true; }  // the damaged frame is mostly readable
  const std::atomic<int>& unpacked() const { return unpacked_; }

 private:
  media::ClipInfo info_;
  int frames_, damaged_, throws_at_;
  nanoseconds frame_time_;
  static constexpr int kReadAhead = static_cast<int>(stream::ReadAhead::kFrames);
  std::atomic<bool> unpacks_last_ = false;
  bool most_is_there_ = false;
  std::atomic<int> at_ = 0;
  mutable std::atomic<int> unpacked_ = 0;
};

}  // namespace texcast::test
