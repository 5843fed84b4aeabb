// incoming_stream.h — the StreamReceiver of a source, and its frames that nobody has taken yet.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deferred.h"
#include "incoming_sound.h"
#include "stream_timeline.h"
#include "texcast/stream_receiver.h"

namespace texcast::gstreamer {

struct IncomingFrame {
  TextureView texture{};  // as long as `memory` lives
  std::shared_ptr<const void> memory{};
  nanoseconds time{};    // on the pipeline's clock
  WallTime available{};  // on the sender's
  double fps = 0;
  uint64_t stream = 0;  // counts streams
  bool is_concealed = false;
  bool follows_loss = false;  // frames before it were lost or dropped
};

// Thread-safe; one thread takes frames.
class IncomingStream {
 public:
  // The pipeline's running time; nothing if it does not play, when frames are dropped. Called on the receiver's thread.
  using Now = std::function<std::optional<nanoseconds>()>;

  IncomingStream() : queue_(std::make_shared<Queue>()) {}
  ~IncomingStream() { close(); }
  IncomingStream(const IncomingStream&) = delete;
  IncomingStream& operator=(const IncomingStream&) = delete;

  // `make` makes the receiver with the callbacks that it is given. Frames that are older than `latency` are skipped if
  // there are newer ones. At most `most_frames` wait.
  using Make = std::function<std::unique_ptr<StreamReceiver>(StreamReceiver::OnTexture, StreamReceiver::OnSound)>;
  void open(Make make, Deferred<StreamReceiver>::OnFailure on_failure, Now now, size_t most_frames);
  bool wait_for_failure(nanoseconds limit) { return receiver_.wait_for_failure(limit); }
  void close();
  void set_latency(nanoseconds latency);
  void interrupt(bool on);

  enum class Taken { frame, timeout, interrupted };
  // Waits for the next frame. timeout: none came for `timeout` (0: without limit), which is said once per outage.
  Taken take(IncomingFrame& frame, nanoseconds timeout);
  // The sound of the pictures that were taken, with times on the same clock.
  SoundQueue& sound() { return queue_->sound; }
  uint64_t dropped() const;  // frames that were not taken in time
  std::optional<StreamReceiverStatus> status();
  std::vector<std::string> send_to();  // URLs for a sender, the likeliest first; empty before there is a receiver

 private:
  // Shared with the receiver's callback, which may outlive this object by the time that the receiver needs to end.
  struct Queue {
    mutable std::mutex mutex;
    std::condition_variable changed;
    Now now{};
    StreamTimeline timeline{};
    std::deque<IncomingFrame> frames{};
    size_t most_frames = 1;
    nanoseconds latency{};
    SteadyTime last_arrival{};
    uint64_t streams = 0;
    uint64_t next_number = 0;
    uint64_t dropped = 0;
    bool has_dropped = false;  // since the last frame that was taken
    bool is_interrupted = false;
    bool is_outage_reported = false;
    uint64_t attempt = 0;  // counts open() and close()

    SoundQueue sound{};

    void push(const ReceivedTexture& received, uint64_t attempt);
    void push_sound(const ReceivedSound& received, uint64_t attempt);
    void skip_late();
    void drop_first();
  };

  const std::shared_ptr<Queue> queue_;
  Deferred<StreamReceiver> receiver_{};
};

}  // namespace texcast::gstreamer
