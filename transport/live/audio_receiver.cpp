#include "live/audio_receiver.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "texcast/error.h"
#include "transport/interface.h"

namespace texcast::stream {
namespace {
constexpr nanoseconds kLongestSoundWait = std::chrono::milliseconds(100);
}

AudioReceiver::AudioReceiver(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                             OnUnit on_unit)
    : source_(std::move(source)), session_(settings), on_unit_(std::move(on_unit)) {
  thread_.emplace([this](const std::stop_token& stop) { run(stop); });
}

AudioReceiver::AudioReceiver(const transport::AudioSessionSettings& settings, OnUnit on_unit)
    : session_(settings), on_unit_(std::move(on_unit)) {}

AudioReceiver::~AudioReceiver() { stop(); }

void AudioReceiver::feed(Bytes datagram, const Instant& arrived) {
  fed_at_ = arrived.steady;
  session_.on_datagram(datagram, arrived.steady, arrived.wall);
  give_out(arrived.steady);
  const std::lock_guard lock(mutex_);
  status_.counters = session_.counters();
}

AudioStatus AudioReceiver::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void AudioReceiver::stop() {
  if (!source_) return give_out(fed_at_ + kLongestSoundWait);
  if (!thread_) return;
  thread_->request_stop();
  source_->wake();
  try {
    thread_->finish();
  } catch (const std::exception& error) {
    log_warning("no sound any more: {}", error.what());
  }
  thread_.reset();
}

void AudioReceiver::on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& /*from*/) {
  session_.on_datagram(datagram, arrived.steady, arrived.wall);
  give_out(arrived.steady);
}

void AudioReceiver::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const SteadyTime latest = source_->now().steady + kLongestSoundWait;
    if (!source_->read(std::min(session_.next_deadline().value_or(latest), latest), *this)) break;
    give_out(source_->now().steady);
    const std::lock_guard lock(mutex_);
    status_.counters = session_.counters();
  }
}

void AudioReceiver::give_out(SteadyTime now) {
  while (const auto unit = session_.next(now)) {
    if (unit->new_stream) {
      const std::lock_guard lock(mutex_);
      status_.stream = unit->stream;
    }
    on_unit_(*unit, now);
  }
}

std::unique_ptr<DatagramSource> open_sound_datagrams(const std::string& source, const std::string& interface,
                                                     const std::vector<std::string>& from) {
  try {
    transport::Address address = transport::resolve_address(source, true);
    if (address.port == 0) return nullptr;  // any port for the picture: nobody knows this one
    address = at_port(address, static_cast<uint16_t>(address.port + transport::kAudioPortOffset));
    std::vector<transport::PeerNetwork> networks;
    for (const std::string& text : from)
      for (const transport::PeerNetwork& network : transport::resolve_networks(text)) networks.push_back(network);
    const unsigned index = interface.empty() ? 0 : transport::interface_index(interface);
    return std::make_unique<UdpDatagrams>(address, index, std::move(networks));
  } catch (const Error& error) {
    log_warning("the stream is received without its sound: {}", error.what());
    return nullptr;
  }
}

transport::AudioSessionSettings sound_settings(const transport::ReceiveSettings& settings) {
  return {.keys = settings.keys, .cipher = settings.cipher, .max_age = settings.max_age};
}

}  // namespace texcast::stream
