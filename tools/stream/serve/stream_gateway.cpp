#include "stream/stream_gateway.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "stream/relay_reading.h"
#include "texcast/format.h"
#include "textures/stream_format.h"

namespace texcast::stream {
namespace {

// Sends what came with one read to all viewers.
void send(DatagramBatch& batch, web::Stream* stream, web::Channel channel) {
  if (batch.empty()) return;
  if (stream != nullptr) stream->send(channel, batch.packets());
  batch.clear();
}

}  // namespace

// Sound, on the thread that reads it: one of its own, or that of a capture's pictures.
class StreamGateway::Sound : private DatagramSink {
 public:
  Sound(StreamGateway& gateway, std::unique_ptr<DatagramSource> source, const transport::ReceiveSettings& settings)
      : gateway_(gateway), source_(std::move(source)), relay_(settings) {
    if (source_) thread_.emplace([this](const std::stop_token& stop) { run(stop); });
  }
  void stop() {
    if (!thread_) return;
    thread_->request_stop();
    source_->wake();
    try {
      thread_->finish();
    } catch (const std::exception& error) {
      log_warning("the sound has ended: {}", error.what());
    }
  }
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override {
    const auto on = relay_.on_datagram(datagram, arrived.wall, from, gateway_.picture_->get());
    passed_.store(relay_.passed(), std::memory_order_relaxed);
    refused_.store(relay_.refused(), std::memory_order_relaxed);
    if (!on) return;
    batch_.add(*on);
    if (batch_.is_full() || !source_) flush();
  }
  uint64_t passed() const { return passed_.load(std::memory_order_relaxed); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  void flush() {
    std::shared_ptr<web::Stream> stream;
    {
      const std::lock_guard lock(gateway_.mutex_);
      stream = gateway_.stream_;
    }
    send(batch_, stream.get(), web::Channel::sound);
  }
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested() && source_->read(source_->now().steady + kLongestRead, *this)) flush();
  }

  StreamGateway& gateway_;
  const std::unique_ptr<DatagramSource> source_;
  transport::SoundRelay relay_;
  DatagramBatch batch_;
  std::atomic<uint64_t> passed_ = 0, refused_ = 0;
  std::optional<LoopThread> thread_;  // last: it uses the above
};

StreamGateway::StreamGateway(std::unique_ptr<DatagramSource> picture, std::unique_ptr<DatagramSource> sound,
                             const GatewaySettings& settings, Offer offer, ReceptionEvents& events)
    : source_(std::move(picture)),
      offer_(std::move(offer)),
      events_(events),
      relay_(with_requests(settings.receive, *source_)),
      news_(*source_, relay_, events_),
      picture_(std::make_shared<PictureSender>()) {
  const bool is_among =
      !sound && settings.hears_sound &&
      source_->give_sound_to([this](Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
        sound_->on_datagram(datagram, arrived, from);
      });
  if (sound || is_among) sound_ = std::make_unique<Sound>(*this, std::move(sound), settings.receive);
  if (settings.expected) make_offer(*settings.expected);
  thread_.emplace([this](const std::stop_token& stop) { run(stop); },
                  [this](const std::exception_ptr&) { ended_.store(true, std::memory_order_release); });
}

StreamGateway::~StreamGateway() {
  try {
    stop("");
  } catch (const std::exception& error) {
    log_error("{}", error.what());
  }
}

void StreamGateway::stop(const std::string& message) {
  if (!thread_) return;
  thread_->request_stop();
  source_->wake();
  thread_->stop();
  if (sound_) sound_->stop();
  withdraw(message);
  const auto failure = thread_->failure();
  thread_.reset();
  if (failure) std::rethrow_exception(failure);
}

GatewayStatus StreamGateway::status() const {
  const std::lock_guard lock(mutex_);
  GatewayStatus status = status_;
  if (sound_) {
    status.sound_passed = sound_->passed();
    status.sound_refused = sound_->refused();
  }
  return status;
}

void StreamGateway::run(const std::stop_token& stop) {
  bool more = true;
  while (more && !stop.stop_requested()) {
    const SteadyTime limit = source_->now().steady + kLongestRead;
    more = source_->read(std::min(relay_.next_deadline().value_or(limit), limit), *this);
    const Instant now = source_->now();
    relay_.poll(now.steady + (more ? nanoseconds{} : kAfterTheEnd), now.wall);
    follow_stream();
    add_made();
    send(batch_, stream_.get(), web::Channel::picture);
    take_feedback(now.steady);
    while (const auto request = relay_.poll_feedback(now.steady)) source_->send_back(relay_.sender().from, *request);
    news_.tell();
    update_status();
  }
}

void StreamGateway::on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
  const auto on = relay_.on_datagram(datagram, arrived.steady, arrived.wall, from);
  follow_stream();
  if (on && stream_ && stream_->has_viewers()) batch_.add(*on);
  add_made();
  if (batch_.is_full()) send(batch_, stream_.get(), web::Channel::picture);
}

// Packets that parity restored here: viewers have no use for parity beside them.
void StreamGateway::add_made() {
  const bool is_watched = stream_ && stream_->has_viewers();
  for (const transport::OutgoingPacket& packet : relay_.poll_made())
    if (is_watched) batch_.add(packet.header);
}

void StreamGateway::take_feedback(SteadyTime now) {
  if (!stream_) return;
  stream_->take_feedback([&](const web::Stream::Feedback& feedback) {
    using Kind = web::Stream::Feedback::Kind;
    if (feedback.kind == Kind::left) return relay_.forget(feedback.viewer);
    if (feedback.kind != Kind::datagram || feedback.channel != web::Channel::picture) return;
    const auto again = relay_.on_feedback(feedback.viewer, feedback.datagram, now);
    if (!again.empty()) stream_->send_to(feedback.viewer, web::Channel::picture, again);
  });
}

// Datagrams that arrived before belong to the former stream.
void StreamGateway::follow_stream() {
  if (news_.frame_arrived()) picture_->set(relay_.sender().from);
  if (relay_.streams() == followed_) return;
  followed_ = relay_.streams();
  make_offer(*relay_.stream());
}

// Viewers begin anew when an offer changes, so that it only says what it must.
void StreamGateway::make_offer(const transport::StreamDesc& description) {
  const Result<TextureDesc> texture = texture_of(description);
  if (!texture) return refuse(texture.error().message);
  web::StreamOffer offer{.name = std::string(name(texture->format)),
                         .families = {},
                         .format = std::string(name(texture->format)),
                         .has_sound = sound_ != nullptr};
  for (const std::string_view family : texture_families(texture->format)) offer.families.emplace_back(family);
  if (stream_ && offered_ == offer) return;
  if (stream_) {
    send(batch_, stream_.get(), web::Channel::picture);
    stream_->change(offer);
  } else {
    auto stream = offer_(offer);
    stream->on_feedback([this] { source_->wake(); });
    const std::lock_guard lock(mutex_);
    stream_ = std::move(stream);
  }
  offered_ = std::move(offer);
}

void StreamGateway::refuse(const std::string& why) {
  withdraw(why);
  log_warning("the stream is not passed on: {}", why);
}

// Viewers see why.
void StreamGateway::withdraw(const std::string& why) {
  offered_.reset();
  if (!stream_) return;
  stream_->on_feedback({});
  stream_->end(why);
  const std::lock_guard lock(mutex_);
  stream_.reset();
}

void StreamGateway::update_status() {
  const std::lock_guard lock(mutex_);
  news_.fill(status_);
  status_.opens_seal = relay_.opens_seal();
}

}  // namespace texcast::stream
