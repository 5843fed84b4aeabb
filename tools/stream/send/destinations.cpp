#include "stream/destinations.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "stream/rtcp_name.h"
#include "transport/interface.h"

namespace texcast::stream {

namespace {

std::vector<transport::Address> resolve(const std::vector<std::string>& urls) {
  std::vector<transport::Address> addresses;
  for (const std::string& url : urls)
    if (url.starts_with("rtp://"))
      addresses.push_back(transport::resolve_address(url, false));
    else if (!url.starts_with("pcap:"))
      throw Error(ErrorKind::usage, fmt::format("cannot send to '{}'; give rtp://HOST:PORT or pcap:FILE", url));
  return addresses;
}

}  // namespace

Destinations::Destinations(const std::vector<std::string>& urls, const NetworkChoice& network)
    : addresses_(resolve(urls)),
      rtcp_(rtcp_name(), std::random_device{}()),
      sender_({.destinations = addresses_,
               .multicast_ttl = network.multicast_ttl,
               .interface_index = network.interface.empty() ? 0 : transport::interface_index(network.interface),
               .control = true}) {
  for (const transport::Address& address : addresses_) {
    all_on_loopback_ = all_on_loopback_ && address.loopback;
    ipv6_ = ipv6_ || address.ipv6;
  }
  for (const std::string& url : urls)
    if (url.starts_with("pcap:")) captures_.push_back(std::make_unique<transport::PcapWriter>(url.substr(5)));
}

Destinations::~Destinations() {
  if (real_time()) sender_.send_control(rtcp_.goodbye(steady_now(), wall_now()));
}

bool Destinations::all_unicast() const {
  return std::ranges::none_of(addresses_, [](const transport::Address& address) { return address.multicast; });
}

void Destinations::send(std::span<const transport::OutgoingPacket> packets, WallTime time) {
  if (real_time()) {
    sender_.send(packets);
    rtcp_.on_sent(packets, steady_now());
  }
  for (const auto& capture : captures_)
    for (const auto& packet : packets) capture->write(packet, time, transport::kDefaultPort);
}

void Destinations::wait(SteadyTime deadline, const transport::UdpSender::OnFeedback& sink) {
  const SteadyTime report_at = rtcp_.next_deadline().value_or(deadline);
  sender_.wait(std::min(deadline, report_at), [&](const transport::Feedback& feedback) {
    if (feedback.control)
      rtcp_.on_datagram(feedback.datagram, transport::to_text(feedback.from), feedback.arrived, wall_now());
    else
      sink(feedback);
  });
  if (steady_now() >= report_at)
    if (const Bytes report = rtcp_.report(steady_now(), wall_now()); !report.empty()) sender_.send_control(report);
}

}  // namespace texcast::stream
