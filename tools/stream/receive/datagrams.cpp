#include "stream/datagrams.h"

#include <algorithm>
#include <random>

#include "base/log.h"
#include "stream/rtcp_name.h"
#include "transport/interface.h"

namespace texcast::stream {

UdpDatagrams::UdpDatagrams(const transport::Address& address, unsigned interface_index)
    : receiver_({.address = address, .interface_index = interface_index, .control = true}),
      rtcp_(std::random_device{}(), rtcp_name(), std::random_device{}()) {}

UdpDatagrams::~UdpDatagrams() { receiver_.send_control_back(reports_to_, rtcp_.goodbye(steady_now())); }

bool UdpDatagrams::read(SteadyTime limit, DatagramSink& sink) {
  std::optional<Instant> arrived;  // one reading of the clocks a batch
  receiver_.receive(limit, [&](Bytes datagram, const transport::PeerAddress& from) {
    if (!arrived) arrived = instant_now();
    rtcp_.on_media(datagram, arrived->steady, from);
    sink.on_datagram(datagram, *arrived, from);
  });
  speak_rtcp(arrived ? arrived->steady : steady_now());
  return true;
}

void UdpDatagrams::speak_rtcp(SteadyTime now) {
  const auto due = rtcp_.next_deadline();
  const bool report = due && now >= *due;
  if (report || receiver_.control_waiting())
    receiver_.read_control([&](Bytes datagram, const transport::PeerAddress& from) {
      if (rtcp_.on_control(datagram, steady_now(), from)) reports_to_ = from;
    });
  if (report) receiver_.send_control_back(reports_to_, rtcp_.report(now));
}

CaptureDatagrams::CaptureDatagrams(const std::string& path, Pace pace)
    : reader_(path), pace_(pace), next_(reader_.next()), begun_(instant_now()) {
  if (next_) first_ = position_ = next_->time;
}

Instant CaptureDatagrams::now() const {
  if (pace_ == Pace::as_captured) return instant_now();
  return {begun_.steady + (position_ - first_), position_};
}

SteadyTime CaptureDatagrams::due(const transport::CapturedDatagram& datagram) const {
  return begun_.steady + (datagram.time - first_);
}

bool CaptureDatagrams::read(SteadyTime limit, DatagramSink& sink) {
  if (!next_) return false;
  if (pace_ == Pace::unpaced) {
    position_ = std::max(position_, next_->time);
    sink.on_datagram(next_->payload, now(), next_->from);
    next_ = reader_.next();
    return true;
  }
  const SteadyTime until = std::min(limit, due(*next_));
  {
    std::unique_lock lock(mutex_);
    woken_.wait_until(lock, until, [this] { return wake_; });
    wake_ = false;
  }
  for (const Instant arrived = instant_now(); next_ && due(*next_) <= arrived.steady; next_ = reader_.next())
    sink.on_datagram(next_->payload, arrived, next_->from);
  return true;
}

void CaptureDatagrams::wake() {
  {
    const std::lock_guard lock(mutex_);
    wake_ = true;
  }
  woken_.notify_all();
}

std::unique_ptr<DatagramSource> open_datagrams(const std::string& source, Pace pace, const std::string& interface) {
  if (is_capture(source)) return std::make_unique<CaptureDatagrams>(capture_path(source), pace);
  const unsigned index = interface.empty() ? 0 : transport::interface_index(interface);
  auto socket = std::make_unique<UdpDatagrams>(transport::resolve_address(source, true), index);
  if (const std::string advice = socket->buffer_advice(); !advice.empty()) log_warning("{}", advice);
  return socket;
}

}  // namespace texcast::stream
