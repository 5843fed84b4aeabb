// steering.h — a stream that runs becomes another: what it is told from outside, and what it is now.
//
//     control ──change()──► Steering ──► send_stream(): at the next frame that allows it ──done()──► control
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/auto_reset_event.h"
#include "live/texture_sender.h"
#include "texcast/encoder.h"
#include "texcast/error.h"

namespace texcast::stream {

// How frames become textures.
struct EncoderChoice {
  TextureFormat format = TextureFormat::bc1;
  Quality quality = Quality::fast;
  std::optional<Method> method{};  // instead of the quality's own
  bool operator==(const EncoderChoice&) const = default;
};

// What is set is changed; the rest stays.
struct SendChange {
  std::optional<TextureFormat> format{};
  std::optional<Quality> quality{};  // with the quality's own method, unless one is given too
  std::optional<Method> method{};
  std::optional<std::optional<double>> rate_bits_per_s{};  // nothing: no limit
  std::vector<std::string> add{}, remove{};                // destinations: "rtp://HOST:PORT"
  std::optional<bool> paused{};
  std::optional<nanoseconds> seek{};  // to there in the input
};

// What the stream is now.
struct SendState {
  TextureDesc texture{};
  EncoderChoice choice{};
  std::string device{};
  std::optional<double> rate_bits_per_s{};
  std::vector<std::string> destinations{};
  bool paused = false;
  nanoseconds position{};  // in the input, of the frame sent last
  uint64_t changes = 0;    // that were made
  bool operator==(const SendState&) const = default;
};

// Thread-safe.
class Steering {
 public:
  // Called once, on one of the stream's threads, when the change has been made (nothing), or with what was wrong, and
  // then nothing has changed. It must be quick, must not throw and must not call the Steering.
  using Done = std::function<void(std::optional<Error>)>;
  // Changes are made one after the other, in the order in which they come. At most kMostWaiting wait.
  void change(SendChange change, Done done);
  SendState state() const;
  // Told whenever the state has become another, but for its position: on the stream's own thread, before whoever asked
  // for it is. Set before the stream begins.
  using OnState = std::function<void(const SendState& before, const SendState& now)>;
  void on_state(OnState listener) { on_state_ = std::move(listener); }

  // ---- the stream's own ----
  struct Asked {
    SendChange change;
    Done done;
  };
  void wake(AutoResetEvent* event);  // set when something is asked for; null: none any more
  std::optional<Asked> next();
  void publish(const SendState& state);
  void position(nanoseconds position);
  void over();  // what still waits, and what comes, is told that the stream is over

  static constexpr size_t kMostWaiting = 64;

 private:
  mutable std::mutex mutex_;
  std::deque<Asked> waiting_;
  AutoResetEvent* event_ = nullptr;
  bool over_ = false;
  SendState state_;
  OnState on_state_;
};

// Who knows how to make what a stream is made of: from options, as a rule.
class StreamPlan {
 public:
  virtual ~StreamPlan() = default;
  virtual EncoderChoice choice() const = 0;  // that the stream begins with
  // Any thread. Throws what make_encoder throws, and Error{usage} for what this stream's receivers would not show.
  virtual std::unique_ptr<Encoder> make_encoder(const EncoderChoice& choice, const FrameFormat& source,
                                                EncoderStart start) const = 0;
  // Of a stream of such textures. Throws Error{usage}.
  virtual SendSettings settings(const TextureDesc& texture) const = 0;
};

// What is needed for a stream that may become another.
struct Changeable {
  const StreamPlan& plan;
  std::unique_ptr<Encoder>& encoder;  // that send_stream() is given; changed by it, on the calling thread
  Steering* steering = nullptr;       // null: only the source may ask for a change
};

}  // namespace texcast::stream
