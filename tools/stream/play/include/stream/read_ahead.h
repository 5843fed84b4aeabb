// read_ahead.h — a recording's frames before they are needed: one thread reads, several unpack, each straight into an
// upload buffer.
//
// Frames come out in order. At most kFrames are read ahead; threads wait when they all are there. A frame that would be
// overtaken before anybody saw it is not unpacked at all. Of compact frames the reading thread rebuilds one after the
// other, and unpacking copies. A damaged frame is left out, but shown where most of it is there (StoredFrame::damage).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/latency.h"
#include "base/loop_thread.h"
#include "media/clip_reader.h"
#include "player/upload_buffers.h"

namespace texcast::stream {

struct AheadFrame {
  player::UploadBuffers::Lease blocks{};
  nanoseconds pts{};
  nanoseconds duration{};  // its own time on the screen
  nanoseconds due{};       // pts on a time line that goes on when the recording begins again
  uint64_t number = 0;     // in the file
  uint64_t id = 0;         // of all that are read; not 0
};

// Of the frames since the beginning; times of the newest 4096.
struct ReadAheadReport {
  uint64_t overtaken = 0;  // left out because they came too late
  uint64_t damaged = 0;
  std::string first_damage{};
  uint64_t stored_bytes = 0;
  LatencyWindow read{};    // of one frame, from the file
  LatencyWindow unpack{};  // of one frame, wall time on its thread
};

// All but the constructor may be called from any thread.
class ReadAhead {
 public:
  static constexpr size_t kFrames = 6;
  // Of texture_layout's size: those ahead, the one on the screen, two that the GPU still reads.
  static constexpr size_t kBuffers = kFrames + 3;
  static constexpr size_t kFewestBuffers = 4;  // it works with 2, when nobody holds more than one frame

  // `threads` that unpack; 0: one a processor, at most 8.
  ReadAhead(std::unique_ptr<media::ClipReader> reader, std::unique_ptr<player::UploadBuffers> buffers, int threads = 0);
  ~ReadAhead();  // waits for what is being read and unpacked

  const media::ClipInfo& info() const { return info_; }

  // From there on; what was read is forgotten, and the time line is the recording's own again.
  void seek(nanoseconds pts) { go_to(pts); }
  void seek_to_frame(int64_t number) { go_to(number); }
  // Behind the last frame comes the first. Taken back, what was read of the next round waits.
  void set_loop(bool loop);

  // The next frame, once it is unpacked.
  std::optional<AheadFrame> take_next();
  // The last unpacked frame with due <= `time`; the ones before it are overtaken.
  std::optional<AheadFrame> take_due(nanoseconds time);
  // What take_next() would give; its blocks stay where they are until the next take or seek.
  struct Peek {
    Bytes blocks{};
    uint64_t id = 0;
  };
  std::optional<Peek> peek() const;
  // When the next frame is due, unpacked or not yet.
  std::optional<nanoseconds> next_due() const;
  // Everything was taken and there is no more. False after a seek, until that is certain again.
  bool ended() const;
  // Until take_next() has something, or the end is there; at most until `limit`.
  void wait(SteadyTime limit) const;

  ReadAheadReport report() const;
  void rethrow_failure();  // throws what ended the reading before its time, if anything did

 private:
  using Target = std::variant<nanoseconds, int64_t>;
  enum class State { stored, unpacking, ready, gone };  // gone: damaged or overtaken
  struct Entry {
    State state = State::stored;
    uint64_t lap = 0;
    media::StoredFrame stored{};
    AheadFrame frame{};
  };
  void go_to(Target target);
  void forget();
  void read_frames(const std::stop_token& stop);
  void unpack_frames(const std::stop_token& stop);
  void fail(const std::exception_ptr& failure, bool while_unpacking);
  bool may_read() const;
  void add(media::StoredFrame stored);
  void add_damage(const std::string& message);
  std::optional<size_t> next_to_unpack();  // place in ahead_
  void pop_gone();
  bool is_behind_the_end(const Entry& entry) const { return !loop_ && entry.lap > taken_lap_; }
  std::optional<AheadFrame> pop();
  nanoseconds lap_length() const;

  std::unique_ptr<media::ClipReader> reader_;  // the reading thread's, but for unpack()
  const media::ClipInfo info_;
  std::unique_ptr<player::UploadBuffers> buffers_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::deque<Entry> ahead_;
  uint64_t first_id_ = 0;  // of ahead_.front(); every entry has the next
  uint64_t jumps_ = 0;     // counts seeks: what was begun before the last is of no use
  std::optional<Target> target_;
  nanoseconds needed_from_;  // frames that are overtaken by then need not be unpacked
  bool loop_ = false;
  bool at_end_ = false;
  bool lap_is_empty_ = true;
  uint64_t lap_ = 0;        // that is being read
  uint64_t taken_lap_ = 0;  // of the last frame taken
  nanoseconds lap_start_{};
  nanoseconds frames_end_{};  // of those read in this lap
  ReadAheadReport report_;
  std::exception_ptr failure_;

  std::deque<LoopThread> threads_;  // last: they use the above
};

}  // namespace texcast::stream
