// steering.h — changes to a running stream: requests from outside, and the stream's current state.
//
//     control ──change()──► Steering ──► the stream's thread, at the next frame that allows it ──done()──► control
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
#include "stream/texture_sender.h"
#include "texcast/encoder.h"
#include "texcast/error.h"

namespace texcast::stream {

// How frames are encoded to textures.
struct EncoderChoice {
  TextureFormat format = TextureFormat::bc1;
  Quality quality = Quality::fast;
  std::optional<Method> method{};  // overrides the method of the quality
  bool operator==(const EncoderChoice&) const = default;
};

// Members that are set are changed; the rest stays as it is.
struct SendChange {
  std::optional<TextureFormat> format{};
  std::optional<Quality> quality{};  // and its method, unless `method` is set too
  std::optional<Method> method{};
  std::optional<std::optional<double>> rate_bits_per_s{};  // inner nullopt: no limit
  // Of a lossy coded stream, from the next frame on; other streams refuse it. Inner nullopt: none, if the other is set.
  std::optional<std::optional<double>> crf{};
  std::optional<std::optional<Bitrate>> bitrate{};
  std::vector<std::string> add{}, remove{};  // destinations: "rtp://HOST:PORT"
  std::optional<bool> paused{};
  std::optional<nanoseconds> seek{};  // to this place in the input
};

struct SendState {
  TextureDesc texture{};
  EncoderChoice choice{};
  std::string device{};
  std::optional<double> rate_bits_per_s{};
  std::optional<double> crf{};       // as it was set
  std::optional<Bitrate> bitrate{};  // likewise
  std::vector<std::string> destinations{};
  bool paused = false;
  nanoseconds position{};  // in the input, of the latest frame that was sent
  uint64_t changes = 0;    // made so far
  bool operator==(const SendState&) const = default;
};

// Thread-safe.
class Steering {
 public:
  // Called once, on a thread of the stream: with nullopt when the change has been made, or with the error, and then
  // nothing has changed. It must be quick, must not throw and must not call the Steering.
  using Done = std::function<void(std::optional<Error>)>;
  // Changes are made one after the other, in the order of the calls. At most kMostWaiting wait.
  void change(SendChange change, Done done);
  SendState state() const;
  // Called whenever the state has changed in more than its position: on the stream's thread, before Done. Must be set
  // before the stream begins.
  using OnState = std::function<void(const SendState& before, const SendState& now)>;
  void on_state(OnState listener) { on_state_ = std::move(listener); }

  // ---- for the stream ----
  struct Request {
    SendChange change;
    Done done;
  };
  void wake(AutoResetEvent* event);  // set at each request; nullptr: no longer
  std::optional<Request> next();
  void publish(const SendState& state);
  void position(nanoseconds position);
  void over();  // waiting and later requests are answered: the stream is over

  static constexpr size_t kMostWaiting = 64;

 private:
  mutable std::mutex mutex_;
  std::deque<Request> waiting_;
  AutoResetEvent* event_ = nullptr;
  bool over_ = false;
  SendState state_;
  OnState on_state_;
};

// Makes the parts of a stream for each EncoderChoice, usually from the options of the command line.
class StreamPlan {
 public:
  virtual ~StreamPlan() = default;
  virtual EncoderChoice choice() const = 0;  // that the stream starts with
  // From any thread. Throws what make_encoder throws, and Error{usage} for a format that this stream's receivers do not
  // show.
  virtual std::unique_ptr<Encoder> make_encoder(const EncoderChoice& choice, const FrameFormat& source,
                                                EncoderStart start) const = 0;
  // For a stream of these textures. Throws Error{usage}.
  virtual SendSettings settings(const TextureDesc& texture) const = 0;
};

// A stream that may be changed needs these.
struct Changeable {
  const StreamPlan& plan;
  std::unique_ptr<Encoder>& encoder;  // the stream's; replaced on the stream's thread
  Steering* steering = nullptr;       // nullptr: only the source may require a change
};

}  // namespace texcast::stream
