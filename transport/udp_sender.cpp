// udp_sender.cpp — the sending half of udp_socket.h.
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/ensure.h"
#include "base/error.h"
#include "base/log.h"
#include "socket_handle.h"
#include "transport/udp_socket.h"
#include "udp_feedback.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103  // linux/udp.h, since 4.18
#endif

namespace texcast::transport {
namespace {

// The kernel's limits for one call with UDP_SEGMENT (64 segments before Linux 6.9, one IP packet's worth of bytes).
constexpr size_t kMaxSegments = 64;
constexpr size_t kMaxSuperBytes = 65507;
constexpr int kFullQueueRetries = 20;  // of 250 µs, for a device queue that is full (ENOBUFS)

iovec as_iovec(Bytes bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};  // sendmsg does not write
}

// What the kernel or the device says when it cannot cut: no checksum offload (EIO), larger than the MTU (EINVAL, newer
// EMSGSIZE), before 4.18 (ENOPROTOOPT, EINVAL).
bool means_no_segmentation(int error) {
  return error == EIO || error == EINVAL || error == ENOPROTOOPT || error == EOPNOTSUPP || error == EMSGSIZE;
}

SocketHandle open_socket(const Address& to, const UdpSender::Settings& settings) {
  sockaddr_storage address;
  std::memcpy(&address, to.storage.data(), sizeof address);
  SocketHandle socket(::socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid())
    throw Error(ErrorKind::network, "cannot open a UDP socket for " + to.text + ": " + errno_text(errno));

  // A small send buffer costs only waiting, so what the kernel grants is enough; FORCE needs CAP_NET_ADMIN.
  const int bytes = settings.send_buffer_bytes;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0)
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  if (to.multicast) {
    const int ttl = settings.multicast_ttl;
    const int failed = to.ipv6 ? ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &ttl, sizeof ttl)
                               : ::setsockopt(socket.get(), IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl);
    if (failed != 0)
      throw Error(ErrorKind::network, "cannot set multicast TTL " + std::to_string(ttl) + ": " + errno_text(errno));
  }
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), to.length) != 0)
    throw Error(ErrorKind::network, "cannot send to " + to.text + ": " + errno_text(errno) +
                                        "; check the address and the routes (ip route)");
  return socket;
}

}  // namespace

struct UdpSender::Impl {
  enum class Outcome { sent, refused, no_segmentation };

  struct Target {
    SocketHandle socket;
    size_t last_packets = 1;  // of the last call: what an ICMP error that comes meanwhile speaks of
  };
  std::vector<Target> targets;
  FeedbackReader feedback;
  std::array<iovec, 2 * kMaxSegments> pieces{};
  std::array<mmsghdr, kMaxSegments> messages{};
  SendCounters* counters = nullptr;

  void gather(std::span<const OutgoingPacket> packets) {
    for (size_t i = 0; i < packets.size(); ++i) {
      pieces[2 * i] = as_iovec(packets[i].header);
      pieces[2 * i + 1] = as_iovec(packets[i].payload);
    }
  }

  void count_sent(std::span<const OutgoingPacket> packets) {
    counters->packets += packets.size();
    for (const OutgoingPacket& packet : packets) counters->bytes += packet.size();
  }

  // After a failed call: true when it is worth another try. ECONNREFUSED tells of an earlier packet and clears itself,
  // so this one goes out all the same: the receiver may have just come up.
  bool retry_after(int error, int socket, size_t packets, int& retries) {
    switch (error) {
      case EINTR: return true;
      case EAGAIN: {
        pollfd waiting{socket, POLLOUT, 0};
        ::poll(&waiting, 1, 100);
        return true;
      }
      case ENOBUFS: {
        if (++retries > kFullQueueRetries) return false;
        const timespec pause{0, 250'000};
        ::nanosleep(&pause, nullptr);
        return true;
      }
      case ECONNREFUSED:
        if (++retries > kFullQueueRetries) return false;
        counters->refused += packets;
        return true;
      default: return false;
    }
  }

  // One call for a run of packets of one size (the last may be shorter).
  Outcome send_segmented(int socket, std::span<const OutgoingPacket> run) {
    gather(run);
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = 2 * run.size();
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(uint16_t))> control{};
    if (run.size() > 1) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = IPPROTO_UDP;
      header->cmsg_type = UDP_SEGMENT;
      header->cmsg_len = CMSG_LEN(sizeof(uint16_t));
      const auto segment_bytes = static_cast<uint16_t>(run[0].size());
      std::memcpy(CMSG_DATA(header), &segment_bytes, sizeof segment_bytes);
    }
    int retries = 0;
    while (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
      const int error = errno;
      if (retry_after(error, socket, run.size(), retries)) continue;
      if (run.size() > 1 && means_no_segmentation(error)) return Outcome::no_segmentation;
      return Outcome::refused;
    }
    return Outcome::sent;
  }

  void send_plain(int socket, std::span<const OutgoingPacket> packets) {
    while (!packets.empty()) {
      const auto batch = packets.first(std::min(packets.size(), kMaxSegments));
      gather(batch);
      for (size_t i = 0; i < batch.size(); ++i) {
        messages[i] = {};
        messages[i].msg_hdr.msg_iov = &pieces[2 * i];
        messages[i].msg_hdr.msg_iovlen = 2;
      }
      size_t done = 0;
      int retries = 0;
      while (done < batch.size()) {
        const int sent =
            ::sendmmsg(socket, messages.data() + done, static_cast<unsigned>(batch.size() - done), MSG_NOSIGNAL);
        if (sent > 0) {
          count_sent(batch.subspan(done, static_cast<size_t>(sent)));
          done += static_cast<size_t>(sent);
        } else if (!retry_after(errno, socket, 1, retries)) {
          ++counters->refused;
          ++done;  // this one cannot go; the next may
          retries = 0;
        }
      }
      packets = packets.subspan(batch.size());
    }
  }
};

namespace {

// How many packets from the front one UDP_SEGMENT call can take: same size, the last one may be shorter.
size_t segment_run(std::span<const OutgoingPacket> packets) {
  const size_t segment_bytes = packets[0].size();
  size_t bytes = segment_bytes;
  size_t count = 1;
  while (count < packets.size() && count < kMaxSegments) {
    const size_t size = packets[count].size();
    if (size > segment_bytes || bytes + size > kMaxSuperBytes) break;
    bytes += size;
    ++count;
    if (size < segment_bytes) break;
  }
  return count;
}

}  // namespace

UdpSender::UdpSender(const Settings& settings)
    : impl_(std::make_unique<Impl>()), segmentation_(settings.allow_segmentation) {
  for (const Address& to : settings.destinations) {
    impl_->targets.push_back({open_socket(to, settings)});
    impl_->feedback.add(impl_->targets.back().socket.get());
  }
  impl_->counters = &counters_;
}

UdpSender::~UdpSender() = default;

void UdpSender::send(std::span<const OutgoingPacket> packets) {
  for (size_t i = 0; i < impl_->targets.size(); ++i) send_to(i, packets);
}

void UdpSender::send_to(size_t destination, std::span<const OutgoingPacket> packets) {
  ENSURE(destination < impl_->targets.size());
  Impl::Target& target = impl_->targets[destination];
  auto rest = packets;
  while (segmentation_ && !rest.empty()) {
    const auto run = rest.first(segment_run(rest));
    const auto outcome = impl_->send_segmented(target.socket.get(), run);
    if (outcome == Impl::Outcome::no_segmentation) {
      segmentation_ = false;
      log_info("the kernel or the network device does not cut UDP packets (UDP_SEGMENT): sending them one by one");
      break;  // nothing of `run` went out; the same packets go below
    }
    if (outcome == Impl::Outcome::sent)
      impl_->count_sent(run);
    else
      counters_.refused += run.size();
    target.last_packets = run.size();
    rest = rest.subspan(run.size());
  }
  if (!rest.empty()) target.last_packets = 1;
  impl_->send_plain(target.socket.get(), rest);
}

void UdpSender::wait(SteadyTime deadline, const OnFeedback& sink) {
  impl_->feedback.wait(deadline, sink, [&](size_t index) { counters_.refused += impl_->targets[index].last_packets; });
}

void UdpSender::wake() { impl_->feedback.wake(); }

}  // namespace texcast::transport
