#include "sound_path.h"

#include <random>
#include <utility>

#include "base/log.h"
#include "live/rtcp_name.h"
#include "transport/audio_packet.h"
#include "transport/interface.h"
#include "transport/rtcp.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestSoundRead = std::chrono::milliseconds(100);

transport::Address sound_address(const transport::Address& stream) {
  return at_port(stream, static_cast<uint16_t>(stream.port + transport::kAudioPortOffset));
}

std::vector<transport::Address> sound_addresses(const std::vector<transport::Address>& stream) {
  std::vector<transport::Address> all;
  for (const transport::Address& address : stream) all.push_back(sound_address(address));
  return all;
}

}  // namespace

SoundPath::SoundPath(std::unique_ptr<DatagramSource> source, const std::vector<transport::Address>& stream,
                     const NetworkChoice& network, const transport::ReceiveSettings& settings,
                     const PictureSender& picture)
    : source_(std::move(source)),
      picture_(picture),
      relay_(settings, true),
      rtcp_(rtcp_name(), std::random_device{}(), transport::RtcpAudience::group, network.most_receivers),
      socket_({.destinations = sound_addresses(stream),
               .multicast_ttl = network.multicast_ttl,
               .interface_index = network.interface.empty() ? 0 : transport::interface_index(network.interface),
               .control = true,
               .patience = network.patience}) {
  if (!source_) return;
  source_->watch(socket_.descriptor());
  thread_.emplace([this](const std::stop_token& stop) { run(stop); });
}

SoundPath::~SoundPath() { stop(); }

void SoundPath::stop() {
  if (!thread_) return;
  thread_->request_stop();
  source_->wake();
  try {
    thread_->finish();
  } catch (const std::exception& error) {
    log_warning("the sound has ended: {}", error.what());
  }
  thread_.reset();
  const std::lock_guard lock(mutex_);
  socket_.send_control(rtcp_.goodbye(steady_now(), wall_now()));
}

void SoundPath::put(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
  const auto on = relay_.on_datagram(datagram, arrived.wall, from, picture_.get());
  passed_.store(relay_.passed(), std::memory_order_relaxed);
  refused_.store(relay_.refused(), std::memory_order_relaxed);
  if (!on) return;
  batch_.add(*on);
  if (batch_.is_full()) flush();
}

void SoundPath::flush() {
  if (batch_.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto packets = batch_.packets();
  socket_.send(packets);
  rtcp_.on_sent(packets, steady_now());
  batch_.clear();
}

void SoundPath::add(const transport::Address& stream) {
  const std::lock_guard lock(mutex_);
  socket_.add(sound_address(stream));
}

void SoundPath::remove(size_t destination) {
  const std::lock_guard lock(mutex_);
  socket_.remove(destination, rtcp_.goodbye(steady_now(), wall_now()));
}

void SoundPath::speak_rtcp() {
  const std::lock_guard lock(mutex_);
  socket_.wait(steady_now(), [&](const transport::Feedback& feedback) {
    const auto report = feedback.control ? transport::parse_rtcp(feedback.datagram) : std::nullopt;
    if (report) rtcp_.on_report(*report, to_text(feedback.from), feedback.arrived, wall_now());
  });
  if (const auto due = rtcp_.next_deadline(); due && steady_now() >= *due)
    socket_.send_control(rtcp_.report(steady_now(), wall_now()));
}

void SoundPath::run(const std::stop_token& stop) {
  while (!stop.stop_requested() && source_->read(source_->now().steady + kLongestSoundRead, *this)) {
    flush();
    speak_rtcp();
  }
}

}  // namespace texcast::stream
