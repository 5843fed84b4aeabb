#include "transport/network_check.h"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "base/descriptor.h"
#include "socket_address.h"

namespace texcast::transport {
namespace {

bool udp_takes(int option, int value) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return ::setsockopt(socket.get(), IPPROTO_UDP, option, &value, sizeof value) == 0;
}

// The kind of a root discipline; nothing for a child of another one.
std::string root_kind(const nlmsghdr& message, const tcmsg& discipline) {
  const bool root = discipline.tcm_parent == TC_H_ROOT;
  if (!root) return {};
  auto left = static_cast<int>(message.nlmsg_len - NLMSG_LENGTH(sizeof discipline));
  const auto* attribute =
      reinterpret_cast<const rtattr*>(reinterpret_cast<const char*>(&message) + NLMSG_LENGTH(sizeof discipline));
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
    if (attribute->rta_type == TCA_KIND && RTA_PAYLOAD(attribute) > 0)
      return {static_cast<const char*>(RTA_DATA(attribute)), RTA_PAYLOAD(attribute) - 1};
  return {};
}

}  // namespace

bool has_udp_segment() { return udp_takes(UDP_SEGMENT, 1400); }
bool has_udp_gro() { return udp_takes(UDP_GRO, 1); }

std::vector<InterfaceQueue> interface_queues() {
  std::vector<InterfaceQueue> found;
  const Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  const timeval patience{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  struct {
    nlmsghdr header;
    tcmsg body;
  } request{};
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
  request.header.nlmsg_type = RTM_GETQDISC;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  if (::send(socket.get(), &request, request.header.nlmsg_len, 0) < 0) return found;
  alignas(nlmsghdr) std::array<char, 32768> memory{};
  for (;;) {
    const ssize_t bytes = ::recv(socket.get(), memory.data(), memory.size(), 0);
    if (bytes <= 0) return found;
    auto left = static_cast<unsigned>(bytes);
    for (auto* message = reinterpret_cast<nlmsghdr*>(memory.data()); NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) return found;
      if (message->nlmsg_type != RTM_NEWQDISC) continue;
      tcmsg discipline{};
      std::memcpy(&discipline, NLMSG_DATA(message), sizeof discipline);
      if (std::string kind = root_kind(*message, discipline); !kind.empty())
        found.push_back({static_cast<unsigned>(discipline.tcm_ifindex), std::move(kind)});
    }
  }
}

}  // namespace texcast::transport
