#include "texcast/stream_receiver.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "base/misuse.h"
#include "live/audio_receiver.h"
#include "live/datagrams.h"
#include "live/receiving_thread.h"
#include "placed_sound.h"
#include "texcast/error.h"
#include "textures/block_pool.h"
#include "transport/key_file.h"
#include "transport/service_words.h"
#include "transport/stream_announcement.h"
#include "transport/wire_keys.h"

namespace texcast {
namespace {

using transport::Refusal;

constexpr const char* kMovedReceiver = "a receiver that was moved from";
constexpr size_t kMostKept = 1000;

// The result of keep() shares this: a frame, and its pool, which must outlive it.
struct Kept {
  std::shared_ptr<stream::BlockPool> pool;
  stream::FrameRef frame;
};

transport::CryptoChoice cipher_of(const StreamReceiverSettings& s) {
  const auto cipher = transport::parse_opened_crypto(s.cipher);
  if (!cipher) throw Error(ErrorKind::usage, cipher.error().message);
  return *cipher;
}

void check(const StreamReceiverSettings& s) {
  REQUIRE_USE(s.max_width >= 0 && s.max_height >= 0 && s.max_width <= kMaxFrameSize && s.max_height <= kMaxFrameSize,
              "the largest picture has 1 to 16384 texels a side");
  REQUIRE_USE((s.max_width == 0) == (s.max_height == 0), "max_width and max_height must be given together");
  REQUIRE_USE(s.max_age >= nanoseconds::zero(), "max_age must not be negative");
  REQUIRE_USE(s.textures_kept <= kMostKept, "at most 1000 textures can be kept at a time");
  REQUIRE_USE(s.passphrase.size() <= transport::Passphrase::kLongest, "a passphrase has at most 1024 bytes");
  REQUIRE_USE(transport::fitting_name(s.name) == s.name,
              "a name has 1 to 63 bytes of UTF-8 without control characters");
  if (!stream::is_rtp(s.listen) && !transport::is_service_name(s.listen))
    throw Error(ErrorKind::usage, "cannot listen on '" + s.listen + "'; give rtp://[ADDRESS]:PORT, or a name");
  cipher_of(s);
}

transport::ReceiveSettings receive_settings(const StreamReceiverSettings& s) {
  transport::ReceiveSettings settings;
  stream::limit_pictures(settings, s.max_width, s.max_height);
  settings.cipher = cipher_of(s);
  settings.max_age = s.max_age;
  if (!s.passphrase.empty()) settings.keys = transport::WireKeys::derive(s.passphrase);
  return settings;
}

// Checked, and with the address of the stream in place of its name. A search takes seconds, so that it comes last.
StreamReceiverSettings resolved(StreamReceiverSettings s) {
  s.listen = transport::with_scheme(s.listen);
  check(s);
  if (!transport::is_service_name(s.listen)) return s;
  const transport::FoundService sender = transport::require_service(transport::ServiceKind::sender, s.listen);
  if (sender.urls.empty())
    throw Error(ErrorKind::network, "the stream '" + s.listen + "' goes to fixed addresses, not to a multicast group " +
                                        "that could be joined: it must be sent here");
  s.listen = sender.urls.front();
  if (s.interface.empty()) s.interface = sender.interface;
  return s;
}

StreamRefusal refusal_of(Refusal why) {
  switch (why) {
    case Refusal::none: return StreamRefusal::none;
    case Refusal::no_key: return StreamRefusal::no_passphrase;
    case Refusal::wrong_key: return StreamRefusal::wrong_passphrase;
    case Refusal::replayed: return StreamRefusal::replayed;
    case Refusal::in_the_clear: return StreamRefusal::not_encrypted;
    case Refusal::other_cipher: return StreamRefusal::other_cipher;
    case Refusal::old_sealing: return StreamRefusal::older_texcast;
    case Refusal::too_old: return StreamRefusal::too_old;
    case Refusal::from_the_future: return StreamRefusal::from_the_future;
  }
  return StreamRefusal::none;
}

void add_sound(StreamReceiverStatus& status, const stream::SoundStatus& sound) {
  status.sound_packets = sound.received.counters.packets;
  status.sound_packets_lost = sound.received.counters.lost;
  status.sound_concealed_ms = sound.concealed_ms;
}

}  // namespace

std::shared_ptr<const void> ReceivedTexture::keep() const {
  REQUIRE_USE(origin != nullptr, "only a texture from a receiver can be kept");
  return std::make_shared<const Kept>(*static_cast<const Kept*>(origin));
}

class StreamReceiver::State : private stream::ReceptionEvents {
 public:
  State(const StreamReceiverSettings& given, OnTexture on_texture, OnSound on_sound)
      : on_texture_(std::move(on_texture)), on_sound_(std::move(on_sound)) {
    const StreamReceiverSettings settings = resolved(given);
    settings_ = receive_settings(settings);
    stream::StreamDatagrams datagrams = open(settings);
    const uint16_t port = datagrams.pictures->port();
    send_to_ = datagrams.pictures->send_to();
    if (datagrams.sound)
      sound_.emplace(std::move(datagrams.sound), stream::sound_settings(settings_),
                     [this](const ReceivedSound& sound) { pass_on(sound); });
    thread_.emplace(
        std::move(datagrams.pictures), *pool_of(settings),
        [this](const stream::FrameRef& frame, double fps) { pass_on(frame, fps); }, settings_,
        stream::ReceivingThread::OnComing{}, static_cast<stream::ReceptionEvents*>(this));
    announce(settings, port);
  }

  void stop() {
    closing_ = true;
    if (sound_) sound_->stop();
    thread_->stop();
    const std::lock_guard lock(mutex_);
    if (sound_failure_) std::rethrow_exception(std::exchange(sound_failure_, nullptr));
  }
  void close() { closing_ = true; }  // no more calls from now on
  bool in_callback() const {
    return caller_.load() == std::this_thread::get_id() || sound_caller_.load() == std::this_thread::get_id();
  }
  bool ended() const { return thread_->ended() || sound_failed_; }
  const std::vector<std::string>& send_to() const { return send_to_; }

  StreamReceiverStatus status() const {
    const stream::StreamStatus now = thread_->status();
    const transport::ReceiveCounters& c = now.counters;
    StreamReceiverStatus status{.frames = now.frames,
                                .frames_concealed = now.frames_concealed,
                                .frames_lost = c.frames_lost,
                                .frames_unbuffered = now.frames_unbuffered,
                                .frames_undecoded = now.frames_undecoded,
                                .frames_unsupported = now.frames_unsupported,
                                .packets = c.packets,
                                .bytes = c.bytes,
                                .packets_lost = c.lost,
                                .packets_recovered = c.recovered_parity + c.recovered_retransmission,
                                .packets_refused = c.refused,
                                .packets_foreign = c.foreign + c.outside,
                                .packets_malformed = c.malformed,
                                .pictures_too_large = c.oversized,
                                .dropped_by_system = c.socket_dropped,
                                .refusal = refusal_of(now.refusal.why),
                                .sender = now.sender.known() ? to_text(now.sender) : ""};
    if (sound_) add_sound(status, sound_->status());
    return status;
  }

 private:
  const std::shared_ptr<stream::BlockPool>& pool_of(const StreamReceiverSettings& settings) {
    pool_ = std::make_shared<stream::BlockPool>(stream::ReceivingThread::kOwnFrames + settings.textures_kept,
                                                stream::ReceivingThread::pool_bytes(settings_));
    return pool_;
  }

  // While it lives, this thread is in a callback.
  struct InCallback {
    explicit InCallback(std::atomic<std::thread::id>& which) : caller(which) { caller = std::this_thread::get_id(); }
    ~InCallback() { caller = std::thread::id(); }
    InCallback(const InCallback&) = delete;
    InCallback& operator=(const InCallback&) = delete;
    std::atomic<std::thread::id>& caller;
  };

  void announce(const StreamReceiverSettings& s, uint16_t port) {
    if (s.name.empty()) return;
    const auto crypto = s.passphrase.empty() ? transport::CryptoChoice::none : settings_.cipher;
    announcer_ = transport::announce_receiver({.name = s.name, .asked_for = true, .interface = s.interface},
                                              transport::resolve_address(s.listen, true), port, crypto);
  }

  // Without a callback for sound its port stays closed.
  stream::StreamDatagrams open(const StreamReceiverSettings& s) const {
    if (on_sound_) return stream::open_stream_datagrams(s.listen, s.interface, s.from);
    return {.pictures = stream::open_datagrams(s.listen, stream::Pace::as_captured, s.interface, s.from),
            .sound = nullptr};
  }

  void on_picture_sender(const transport::PeerAddress& from) override {
    if (sound_) sound_->on_picture_sender(from);
  }

  void pass_on(const ReceivedSound& sound) {
    if (closing_ || sound_failed_) return;
    const InCallback here(sound_caller_);
    try {
      on_sound_(sound);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      sound_failure_ = std::current_exception();
      sound_failed_ = true;
    }
  }

  void pass_on(const stream::FrameRef& frame, double fps) {
    if (closing_ || sound_failed_) return;
    if (sound_) sound_->on_frame(*frame);
    const Kept origin{pool_, frame};
    const InCallback here(caller_);
    on_texture_({.texture = frame->view(),
                 .times = frame->times,
                 .fps = fps,
                 .number = frame->number,
                 .concealed_blocks = frame->concealed_blocks,
                 .new_stream = frame->new_stream,
                 .origin = &origin});
  }

  const OnTexture on_texture_;
  const OnSound on_sound_;
  transport::ReceiveSettings settings_;
  std::shared_ptr<stream::BlockPool> pool_;
  std::vector<std::string> send_to_;
  std::atomic<bool> closing_ = false;
  std::atomic<std::thread::id> caller_{}, sound_caller_{};  // the threads that are in callbacks
  std::atomic<bool> sound_failed_ = false;
  std::mutex mutex_;
  std::exception_ptr sound_failure_;                 // with mutex_
  std::optional<stream::PlacedSound> sound_;         // after what its thread uses
  std::optional<stream::ReceivingThread> thread_;    // it uses the above
  std::unique_ptr<transport::Announcer> announcer_;  // nullptr: not announced
};

StreamReceiver::StreamReceiver(const StreamReceiverSettings& settings, OnTexture on_texture, OnSound on_sound) {
  REQUIRE_USE(on_texture, "a receiver needs a callback");
  state_ = std::make_shared<State>(settings, std::move(on_texture), std::move(on_sound));
}

StreamReceiver::~StreamReceiver() {
  if (!state_ || !state_->in_callback()) return;
  // A thread cannot wait for its own end: another one does so, once the callback has returned.
  state_->close();
  std::thread([state = std::move(state_)]() mutable { state.reset(); }).detach();
}

StreamReceiver::StreamReceiver(StreamReceiver&& other) noexcept = default;
StreamReceiver& StreamReceiver::operator=(StreamReceiver&& other) noexcept {
  const StreamReceiver before(std::move(*this));  // ends like any receiver
  state_ = std::move(other.state_);
  return *this;
}

void StreamReceiver::stop() {
  REQUIRE_USE(state_, kMovedReceiver);
  REQUIRE_USE(!state_->in_callback(), "the receiving thread cannot wait for its own end");
  state_->stop();
}
bool StreamReceiver::ended() const {
  REQUIRE_USE(state_, kMovedReceiver);
  return state_->ended();
}
StreamReceiverStatus StreamReceiver::status() const {
  REQUIRE_USE(state_, kMovedReceiver);
  return state_->status();
}
std::vector<std::string> StreamReceiver::send_to() const {
  REQUIRE_USE(state_, kMovedReceiver);
  return state_->send_to();
}

}  // namespace texcast
