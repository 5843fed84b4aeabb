#include "live/audio_receiver.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "early_sound.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {
constexpr nanoseconds kLongestSoundWait = std::chrono::milliseconds(100);

void report_end(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    log_warning("the audio has ended: {}", error.what());
  }
}

std::unique_ptr<DatagramSource> open_sound_at(const transport::Address& address, const std::string& interface,
                                              const std::vector<std::string>& from) {
  return open_udp(at_port(address, static_cast<uint16_t>(address.port + transport::kAudioPortOffset)), interface, from);
}

}  // namespace

AudioReceiver::AudioReceiver(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                             const PictureSender& picture, OnUnit on_unit)
    : source_(std::move(source)),
      picture_(picture),
      early_(std::make_unique<EarlySound>()),
      session_(settings),
      on_unit_(std::move(on_unit)) {
  thread_.emplace([this](const std::stop_token& stop) { run(stop); }, report_end);
}

AudioReceiver::AudioReceiver(const transport::AudioSessionSettings& settings, const PictureSender& picture,
                             OnUnit on_unit)
    : picture_(picture), early_(std::make_unique<EarlySound>()), session_(settings), on_unit_(std::move(on_unit)) {}

AudioReceiver::~AudioReceiver() { stop(); }

void AudioReceiver::feed(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
  fed_at_ = arrived.steady;
  on_datagram(datagram, arrived, from);
  update_counters();
}

AudioStatus AudioReceiver::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void AudioReceiver::stop() {
  if (!source_) {
    follow_picture();
    return give_out(fed_at_ + kLongestSoundWait);
  }
  if (!thread_) return;
  thread_->request_stop();
  source_->wake();
  thread_.reset();
}

void AudioReceiver::on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
  follow_picture();
  if (!heard_host_)
    early_->keep(datagram, arrived, from);
  else if (heard_host_->same_host(from))
    take(datagram, arrived);
  else
    ++strangers_;
}

void AudioReceiver::take(Bytes datagram, const Instant& arrived) {
  session_.on_datagram(datagram, arrived.steady, arrived.wall);
  give_out(arrived.steady);
}

void AudioReceiver::follow_picture() {
  const std::optional<transport::PeerAddress> sender = picture_.get();
  if (!sender || (heard_host_ && heard_host_->same_host(*sender))) return;
  if (heard_host_) session_.forget_sender();
  heard_host_ = sender;
  early_->release(*sender, [this](Bytes datagram, const Instant& arrived) { take(datagram, arrived); });
}

void AudioReceiver::update_counters() {
  const std::lock_guard lock(mutex_);
  status_.counters = session_.counters();
  status_.counters.foreign += strangers_;
}

void AudioReceiver::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const SteadyTime latest = source_->now().steady + kLongestSoundWait;
    if (!source_->read(std::min(session_.next_deadline().value_or(latest), latest), *this)) break;
    follow_picture();
    give_out(source_->now().steady);
    update_counters();
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
    const transport::Address address = transport::resolve_address(source, true);
    if (address.port == 0) return nullptr;  // any free port for the picture, so the audio port is unknown
    return open_sound_at(address, interface, from);
  } catch (const Error& error) {
    log_warning("the stream is received without audio: {}", error.what());
    return nullptr;
  }
}

StreamDatagrams open_stream_datagrams(const std::string& source, const std::string& interface,
                                      const std::vector<std::string>& from) {
  constexpr int kMostTries = 20;
  StreamDatagrams opened{.pictures = open_datagrams(source, Pace::as_captured, interface, from), .sound = nullptr};
  transport::Address address = transport::resolve_address(source, true);
  if (address.port != 0) {
    opened.sound = open_sound_datagrams(source, interface, from);
    return opened;
  }
  for (int i = 0; i < kMostTries && !opened.sound; ++i) {
    try {
      opened.sound = open_sound_at(at_port(address, opened.pictures->port()), interface, from);
    } catch (const Error&) {
      // Another program has the port of the sound. The old socket of the pictures is closed only after the new one is
      // open, so that the new one gets another port.
      opened.pictures = open_datagrams(source, Pace::as_captured, interface, from);
    }
  }
  if (!opened.sound) log_warning("the stream is received without audio: no two ports are free");
  return opened;
}

transport::AudioSessionSettings sound_settings(const transport::ReceiveSettings& settings) {
  return {.keys = settings.keys, .cipher = settings.cipher, .max_age = settings.max_age};
}

}  // namespace texcast::stream
