#include "transport/interface.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/descriptor.h"
#include "socket_address.h"
#include "texcast/error.h"
#include "udp_options.h"

namespace texcast::transport {
namespace {

int mtu_of(const std::string& name) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  return ::ioctl(socket.get(), SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
}

std::string address_text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address == nullptr) return {};
  if (address->sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, address, sizeof v4);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
  } else if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, address, sizeof v6);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

}  // namespace

std::vector<NetworkInterface> network_interfaces() {
  std::vector<NetworkInterface> found;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const std::string name = entry->ifa_name;
    auto at = std::ranges::find(found, name, &NetworkInterface::name);
    if (at == found.end()) {
      found.push_back({.name = name,
                       .index = ::if_nametoindex(name.c_str()),
                       .mtu = mtu_of(name),
                       .up = (entry->ifa_flags & IFF_UP) != 0,
                       .loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0,
                       .multicast = (entry->ifa_flags & IFF_MULTICAST) != 0,
                       .addresses = {}});
      at = found.end() - 1;
    }
    if (std::string text = address_text(entry->ifa_addr); !text.empty()) at->addresses.push_back(std::move(text));
  }
  return found;
}

std::vector<std::string> urls_of(const std::vector<NetworkInterface>& interfaces, uint16_t port, unsigned index) {
  std::vector<std::string> near[2], far[2];  // IPv4, IPv6: reachable from this machine only; from its networks
  for (const NetworkInterface& one : interfaces) {
    if (!one.up || (index != 0 && one.index != index)) continue;
    for (const std::string& address : one.addresses) {
      const bool v6 = address.find(':') != std::string::npos;
      if (v6 && address.starts_with("fe80:")) continue;  // meaningless without the other side's interface
      (one.loopback ? near : far)[v6 ? 1 : 0].push_back(v6 ? fmt::format("rtp://[{}]:{}", address, port)
                                                           : fmt::format("rtp://{}:{}", address, port));
    }
  }
  auto& urls = far[0].empty() && far[1].empty() ? near : far;
  urls[0].insert(urls[0].end(), urls[1].begin(), urls[1].end());
  return urls[0];
}

std::vector<std::string> urls_to_send_to(const Address& listening, uint16_t port, unsigned index) {
  PeerAddress bound = peer_address(sockaddr_of(listening));
  bound.port = port;
  const std::string text = to_text(bound);
  const bool everywhere = text.starts_with("[::]:") || text.starts_with("0.0.0.0:");
  return everywhere ? urls_of(network_interfaces(), port, index) : std::vector{"rtp://" + text};
}

unsigned interface_index(const std::string& name_or_address) {
  const auto all = network_interfaces();
  std::string names;
  for (const NetworkInterface& one : all) {
    if (one.name == name_or_address || std::ranges::count(one.addresses, name_or_address) > 0) return one.index;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("'{}' is neither a network interface of this machine nor the address of one; the interfaces are {}",
                  name_or_address, names));
}

}  // namespace texcast::transport
