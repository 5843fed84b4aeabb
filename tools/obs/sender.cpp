// SPDX-License-Identifier: GPL-2.0-or-later
#include "sender.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "messages.h"
#include "texcast/stream_preset.h"
#include "workers.h"

namespace texcast::obs {
namespace {

using namespace std::chrono_literals;

constexpr auto kRestartTime = 2s;
constexpr auto kSenderLookTime = 250ms;  // between two looks at the sender's counts
constexpr size_t kFrames = 4;            // if the encoder has no pool: being filled, waiting, being copied, spare

std::string list(const std::vector<std::string>& destinations) {
  std::string all;
  for (const std::string& destination : destinations) all += (all.empty() ? "" : " ") + destination;
  return all;
}

// A frame of a coded stream has at most 65535 payloads of a little more than a kilobyte.
void check_size(const FrameFormat& format, TextureFormat texture) {
  constexpr size_t kMostBytes = size_t{65535} * 1000;
  const TextureDesc desc{.format = texture, .width = format.width, .height = format.height};
  if (texture_layout(desc).total_bytes <= kMostBytes) return;
  throw Error(ErrorKind::usage, text("Status.TooLargeToSend"));
}

}  // namespace

bool operator==(const SendOptions& a, const SendOptions& b) {
  return a.stream.destinations == b.stream.destinations && a.stream.passphrase == b.stream.passphrase &&
         a.stream.compact == b.stream.compact && a.stream.crf == b.stream.crf && a.stream.bitrate == b.stream.bitrate &&
         a.stream.interface == b.stream.interface && a.stream.name == b.stream.name &&
         a.stream.sound == b.stream.sound && a.stream.sound_coding == b.stream.sound_coding && a.preset == b.preset &&
         a.format == b.format && a.stream.quality == b.stream.quality && a.device == b.device;
}

// The state that a Sender and its worker share.
class Sender::Shared {
 public:
  Shared(SendOptions options, double fps) : options_(std::move(options)) { options_.stream.fps = fps; }

  void work() {
    while (const auto format = await_format()) {
      try {
        send(*format);
        continue;
      } catch (const Error& error) {
        report(error.what());
      } catch (const std::bad_alloc&) {
        report("there is no memory left");
      }
      std::unique_lock lock(mutex_);
      pool_.reset();
      changed_.wait_for(lock, kRestartTime, [&] { return stopped_; });
    }
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    waiting_ = {};
    changed_.notify_all();
  }

  FrameLease lend(const FrameFormat& format) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return {};
    if (!wanted_ || !(*wanted_ == format)) {
      wanted_ = format;
      pool_.reset();
      waiting_ = {};
      changed_.notify_all();
    }
    if (!pool_) return {};
    FrameLease frame = pool_->lend();
    if (!frame) ++dropped_;
    return frame;
  }

  void submit_sound(std::span<const float> samples, nanoseconds pts) {
    const std::lock_guard lock(sound_mutex_);
    try {
      if (live_) live_->send_sound(samples, pts);
    } catch (const Error& error) {
      say(LogLevel::warning, std::string("there is no sound: ") + error.what());
      live_ = nullptr;
    }
  }

  void submit(FrameLease frame, nanoseconds pts) {
    const std::lock_guard lock(mutex_);
    if (stopped_ || !pool_) return;
    if (waiting_) ++dropped_;
    waiting_ = std::move(frame);
    pts_ = pts;
    changed_.notify_all();
  }

  std::string status() const {
    const std::lock_guard lock(mutex_);
    if (!error_.empty()) return error_;
    if (device_.empty()) return text("Status.Starting");
    return std::to_string(status_.frames) + " " + text("Status.Sent") + " " + text("Status.To") + " " +
           list(options_.stream.destinations) + ", " + std::to_string(dropped_ + status_.dropped) + " " +
           text("Status.Dropped") + "\n" + text("Status.EncodedBy") + " " + device_;
  }

  uint64_t dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_ + status_.dropped;
  }

 private:
  // Sound goes to the stream while this lives.
  class Live {
   public:
    Live(Shared& shared, StreamSender& sender) : shared_(shared) {
      const std::lock_guard lock(shared_.sound_mutex_);
      if (shared_.options_.stream.sound) shared_.live_ = &sender;
    }
    ~Live() {
      const std::lock_guard lock(shared_.sound_mutex_);
      shared_.live_ = nullptr;
    }
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

   private:
    Shared& shared_;
  };

  // The format of the frames that come; nothing: stop() was called.
  std::optional<FrameFormat> await_format() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || wanted_; });
    return stopped_ ? std::nullopt : wanted_;
  }

  // Returns when frames of another format come, or stop() was called.
  void send(const FrameFormat& format) {
    check_input(options_.stream.passphrase, options_.stream.name);
    StreamSenderSettings stream = options_.stream;
    EncoderSettings encoder{
        .source = format, .texture = options_.format, .quality = options_.stream.quality, .device = options_.device};
    if (!options_.preset.empty()) apply_preset(options_.preset, stream, encoder);
    if (stream.compact) check_size(format, encoder.texture);
    StreamSender sender(stream, encoder);
    if (!opened(sender, format)) return;
    const Live live(*this, sender);
    while (is_wanted(format)) {
      FrameLease frame;
      nanoseconds pts{};
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kSenderLookTime, [&] { return stopped_ || waiting_ || !(*wanted_ == format); });
        frame = std::exchange(waiting_, {});
        pts = pts_;
      }
      if (frame && frame.view().format == format) sender.send(frame.view(), pts);
      const StreamSenderStatus status = sender.status();
      const std::lock_guard lock(mutex_);
      status_ = status;
    }
  }

  bool is_wanted(const FrameFormat& format) const {
    const std::lock_guard lock(mutex_);
    return !stopped_ && *wanted_ == format;
  }

  bool opened(StreamSender& sender, const FrameFormat& format) {
    auto pool = sender.frame_pool();
    if (!pool) pool = FramePool::create(format, kFrames);
    const std::lock_guard lock(mutex_);
    if (stopped_ || !(*wanted_ == format)) return false;
    pool_ = std::move(pool);
    device_ = sender.device_name();
    error_.clear();
    say(LogLevel::info, "sending to " + list(options_.stream.destinations) + ": " +
                            std::string(name(sender.texture_desc().format)) + ", " + std::to_string(format.width) +
                            "x" + std::to_string(format.height) + ", by " + device_);
    return true;
  }

  // Once for each message, although it is tried every two seconds.
  void report(const std::string& error) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    if (error != error_) say(LogLevel::warning, error);
    error_ = error;
  }

  SendOptions options_;
  std::mutex sound_mutex_;
  StreamSender* live_ = nullptr;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::optional<FrameFormat> wanted_;
  std::shared_ptr<FramePool> pool_;  // of wanted_; null: the sender is not ready
  FrameLease waiting_;
  nanoseconds pts_{};
  StreamSenderStatus status_{};
  uint64_t dropped_ = 0;
  std::string device_;
  std::string error_;
};

Sender::Sender(SendOptions options, double fps) : shared_(std::make_shared<Shared>(std::move(options), fps)) {
  start_worker([shared = shared_] { shared->work(); });
}

Sender::~Sender() { shared_->stop(); }

FrameLease Sender::lend(const FrameFormat& format) { return shared_->lend(format); }
void Sender::submit(FrameLease frame, nanoseconds pts) { shared_->submit(std::move(frame), pts); }
void Sender::submit_sound(std::span<const float> samples, nanoseconds pts) { shared_->submit_sound(samples, pts); }
std::string Sender::status() const { return shared_->status(); }
uint64_t Sender::dropped() const { return shared_->dropped(); }

}  // namespace texcast::obs
