#include "stream/destinations.h"

#include <fmt/core.h>

#include "base/error.h"

namespace texcast::stream {

Destinations::Destinations(const std::vector<std::string>& urls) {
  for (const std::string& url : urls) {
    if (url.starts_with("pcap:")) {
      captures_.push_back(std::make_unique<transport::PcapWriter>(url.substr(5)));
    } else if (url.starts_with("rtp://")) {
      addresses_.push_back(transport::resolve_address(url, false));
      all_on_loopback_ = all_on_loopback_ && addresses_.back().loopback;
      ipv6_ = ipv6_ || addresses_.back().ipv6;
    } else {
      throw Error(ErrorKind::usage, fmt::format("cannot send to '{}'; give rtp://HOST:PORT or pcap:FILE", url));
    }
  }
  if (!addresses_.empty())
    sender_ = std::make_unique<transport::UdpSender>(transport::UdpSender::Settings{.destinations = addresses_});
}

void Destinations::send(std::span<const transport::OutgoingPacket> packets, WallTime time) {
  if (sender_) sender_->send(packets);
  for (const auto& capture : captures_)
    for (const auto& packet : packets) capture->write(packet, time, transport::kDefaultPort);
}

}  // namespace texcast::stream
