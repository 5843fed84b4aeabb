// sound_queue.h — the sound of an input that can be read only once, such as a pipe: the packets of its sound tracks,
// which the reader of its pictures finds between those of the picture, until the consumer of the sound takes them.
//
// The reader never waits for the consumer. It reads ahead of a picture until the sound of the same time has come
// (DemuxedInput). If too much sound waits, further packets are left out, with a warning.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "media/ffmpeg.h"
#include "texcast/frame_times.h"

namespace texcast::media {

struct SoundTrack {
  ParametersPtr parameters;
  AVRational time_base{};  // of its packets
  std::string language;    // as the input has it; may be empty
};

// Thread-safe; one thread reads the input, and one consumes the sound. Times are those of the container's clock.
class SoundQueue {
 public:
  // `input` is the input's name for messages.
  SoundQueue(std::vector<SoundTrack> tracks, std::string input);
  const std::vector<SoundTrack>& tracks() const { return tracks_; }  // at least one; never changes

  // ---- the reader of the input

  // The next packet of a track.
  void put(size_t track, PacketPtr packet);
  // The reader has come to this time in the pictures: sound that is much earlier will not come any more.
  void on_picture(nanoseconds time);
  // Sound before `time` is not waited for, although it has not come.
  void give_up_before(nanoseconds time);
  // The time up to which nothing more will come.
  nanoseconds known() const;
  // Packets before `time` are not wanted by anybody.
  void forget_before(nanoseconds time);
  // Reading continues elsewhere in the input: what follows is another pass.
  void begin_pass();
  void end();  // of the input

  // ---- the consumer

  struct Taken {
    size_t track = 0;
    PacketPtr packet;
  };
  // The oldest packet of the present pass, if there is one.
  std::optional<Taken> take();
  // Whether the pass is over, and all its packets were taken.
  bool ended() const;
  // Waits until there is a packet, the pass has ended, or everything before `time` has come. Returns at once after
  // stop_waiting().
  void wait(nanoseconds time) const;
  // Drops the packets of earlier passes, and continues with the newest one.
  void go_to_newest_pass();
  // From any thread: no wait() from now on.
  void stop_waiting();

 private:
  struct Entry {
    int pass = 0;
    size_t track = 0;
    nanoseconds time{};
    PacketPtr packet;
  };
  nanoseconds known_unlocked() const;
  void drop_front();

  const std::vector<SoundTrack> tracks_;
  const std::string input_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Entry> entries_;
  size_t bytes_ = 0;  // of entries_
  int newest_pass_ = 0, pass_ = 0;
  std::vector<nanoseconds> begun_;  // of each track: the start of the newest packet
  nanoseconds given_up_before_ = nanoseconds::min();
  bool ended_ = false, waits_ = true, warned_ = false;
};

}  // namespace texcast::media
