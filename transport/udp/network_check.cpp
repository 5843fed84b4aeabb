#include "transport/network_check.h"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/descriptor.h"
#include "socket_address.h"
#include "texcast/error.h"
#include "udp_options.h"

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

// The inode numbers of the UDP sockets that are bound to this port, on any address.
std::set<std::string> sockets_at(uint16_t port) {
  std::set<std::string> inodes;
  for (const char* table : {"/proc/net/udp", "/proc/net/udp6"}) {
    std::ifstream lines(table);
    std::string line;
    std::getline(lines, line);  // the titles
    while (std::getline(lines, line)) {
      // sl, local address:port (in hex), remote, state, queues, timer, retransmits, user, timeout, inode
      std::istringstream words(line);
      std::string local, inode, skipped;
      words >> skipped >> local;
      for (int i = 0; i < 8; ++i) words >> inode;
      const size_t colon = local.find(':');
      if (colon != local.npos && std::strtoul(local.c_str() + colon + 1, nullptr, 16) == port) inodes.insert(inode);
    }
  }
  return inodes;
}

// The program that holds one of these sockets. Only root sees those of other users.
void find_holder(const std::set<std::string>& inodes, PortState& state) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc", ignored)) {
    const std::string number = process.path().filename().string();
    if (number.find_first_not_of("0123456789") != number.npos) continue;
    std::error_code gone;
    for (fs::directory_iterator file(process.path() / "fd", gone), end; !gone && file != end; file.increment(gone)) {
      std::error_code unreadable;
      const std::string target = fs::read_symlink(file->path(), unreadable).string();  // "socket:[12345]"
      if (!target.starts_with("socket:[") || !inodes.contains(target.substr(8, target.size() - 9))) continue;
      std::ifstream(process.path() / "comm") >> state.holder;
      state.process = std::atoi(number.c_str());
      return;
    }
  }
}

}  // namespace

PortState udp_port_state(uint16_t port) {
  PortState state;
  try {
    const Descriptor socket = listen_on(resolve_address("rtp://:" + std::to_string(port), true), 0, 0);
    state.free = true;
  } catch (const Error& error) {
    const std::set<std::string> inodes = sockets_at(port);
    if (inodes.empty())
      state.why = error.what();
    else
      find_holder(inodes, state);
  }
  return state;
}

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
