#include "relay/relay_loops.h"

#include <fmt/core.h>

#include <algorithm>

#include "live/datagrams.h"
#include "texcast/error.h"
#include "transport/interface.h"

namespace texcast::cli {
namespace {

using transport::Address;
using transport::PeerAddress;

bool is_any_host(const PeerAddress& address) {
  const PeerAddress any{.port = address.port};
  std::array<std::byte, 4> zeros{};
  return address.same_host(any) || address.same_host(PeerAddress::of_ipv4(zeros, 0));
}

bool is_here(const Address& address) {
  if (address.loopback) return true;
  const std::string host = host_text(peer_of(address));
  return std::ranges::any_of(transport::network_interfaces(), [&](const transport::NetworkInterface& one) {
    return std::ranges::count(one.addresses, host.substr(0, host.find('%'))) > 0;
  });
}

bool arrives(const Address& to, const Address& listening, uint16_t port) {
  if (to.port != port || to.multicast != listening.multicast) return false;
  const PeerAddress where = peer_of(listening);
  if (where.same_host(peer_of(to))) return true;
  return !to.multicast && is_any_host(where) && is_here(to);
}

}  // namespace

void reject_loop(const std::string& source, uint16_t port, const std::string& to) {
  if (!stream::is_rtp(source) || !to.starts_with("rtp://")) return;
  if (!arrives(transport::resolve_address(to, false), transport::resolve_address(source, true), port)) return;
  throw Error(ErrorKind::usage, fmt::format("the relay would get its own stream: it listens on {}, and '{}' is this "
                                            "address; give another host, port or group",
                                            source, to));
}

}  // namespace texcast::cli
