#include "stream/destinations.h"

#include <fmt/core.h>

#include "base/error.h"
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
      sender_({.destinations = addresses_,
               .multicast_ttl = network.multicast_ttl,
               .interface_index = network.interface.empty() ? 0 : transport::interface_index(network.interface)}) {
  for (const transport::Address& address : addresses_) {
    all_on_loopback_ = all_on_loopback_ && address.loopback;
    ipv6_ = ipv6_ || address.ipv6;
  }
  for (const std::string& url : urls)
    if (url.starts_with("pcap:")) captures_.push_back(std::make_unique<transport::PcapWriter>(url.substr(5)));
}

void Destinations::send(std::span<const transport::OutgoingPacket> packets, WallTime time) {
  sender_.send(packets);
  for (const auto& capture : captures_)
    for (const auto& packet : packets) capture->write(packet, time, transport::kDefaultPort);
}

}  // namespace texcast::stream
