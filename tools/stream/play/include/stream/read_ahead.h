// read_ahead.h — reads a recording's frames before they are needed: one thread reads, several unpack, each directly
// into an upload buffer.
//
// Frames come out in order. The threads wait when kFrames are read ahead. A frame that would be overtaken before it is
// shown is not unpacked. Frames of a coded recording are decoded one after the other by the reading thread, and
// unpacking copies them. A damaged frame is left out unless most of it is intact (StoredFrame::damage).
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
  nanoseconds duration{};     // on the screen
  nanoseconds due{};          // pts on a time line that continues when the recording loops
  uint64_t number = 0;        // in the file
  uint64_t id = 0;            // unique among all frames read; not 0
  uint64_t stored_bytes = 0;  // of its pictures in the file
};

// Figures since the beginning; times of the latest 4096 frames.
struct ReadAheadReport {
  uint64_t overtaken = 0;  // left out because they were late
  uint64_t damaged = 0;
  std::string first_damage{};
  uint64_t stored_bytes = 0;
  LatencyWindow read{};    // per frame, from the file
  LatencyWindow unpack{};  // per frame, wall time on its thread
};

// All calls except the constructor may come from any thread.
class ReadAhead {
 public:
  static constexpr size_t kFrames = 6;
  // Buffers of texture_layout()'s size: frames ahead, the one on the screen, and two that the GPU still reads.
  static constexpr size_t kBuffers = kFrames + 3;
  static constexpr size_t kFewestBuffers = 4;  // 2 suffice if the caller holds one frame only

  // `threads`: for unpacking; 0: one per processor, at most 8. `lap`: the time after which the recording begins again;
  // unset: its duration, or more if frames last longer than that.
  ReadAhead(std::unique_ptr<media::ClipReader> reader, std::unique_ptr<player::UploadBuffers> buffers, int threads = 0,
            std::optional<nanoseconds> lap = std::nullopt);
  ~ReadAhead();  // waits for what is being read and unpacked

  const media::ClipInfo& info() const { return info_; }

  // Continues from there. Frames read ahead are discarded, and the time line is that of the file again.
  void seek(nanoseconds pts) { go_to(pts); }
  void seek_to_frame(int64_t number) { go_to(number); }
  // The first frame follows the last. When it is switched off, frames already read of the next lap wait.
  void set_loop(bool loop);

  // The next frame, once it is unpacked.
  std::optional<AheadFrame> take_next();
  // The last unpacked frame with due <= `time`; earlier ones are overtaken.
  std::optional<AheadFrame> take_due(nanoseconds time);
  // The frame that take_next() would return; its blocks are valid until the next take or seek.
  struct Peek {
    Bytes blocks{};
    uint64_t id = 0;
  };
  std::optional<Peek> peek() const;
  // When the next frame is due, unpacked or not.
  std::optional<nanoseconds> next_due() const;
  // Everything was taken and there is no more. After a seek it is false until that is known again.
  bool ended() const;
  // Waits until take_next() has a frame, the end is reached, or `limit`.
  void wait(SteadyTime limit) const;

  ReadAheadReport report() const;
  void rethrow_failure();  // throws the failure that ended reading, if there was one

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

  std::unique_ptr<media::ClipReader> reader_;  // reading thread, except unpack()
  const media::ClipInfo info_;
  const std::optional<nanoseconds> lap_time_;
  std::unique_ptr<player::UploadBuffers> buffers_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::deque<Entry> ahead_;
  uint64_t first_id_ = 0;  // of ahead_.front(); the others follow it
  uint64_t jumps_ = 0;     // number of seeks: work that began before the last one is discarded
  std::optional<Target> target_;
  nanoseconds needed_from_;  // frames that are overtaken by this time need not be unpacked
  bool loop_ = false;
  bool at_end_ = false;
  bool lap_is_empty_ = true;
  uint64_t lap_ = 0;        // being read
  uint64_t taken_lap_ = 0;  // of the last frame taken
  nanoseconds lap_start_{};
  nanoseconds frames_end_{};  // end of the frames read in this lap
  ReadAheadReport report_;
  std::exception_ptr failure_;

  std::deque<LoopThread> threads_;  // last: they use the members above
};

}  // namespace texcast::stream
