#include "udp_target.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/log.h"
#include "base/poll_until.h"
#include "transport/packet.h"
#include "udp_options.h"

namespace texcast::transport {
namespace {

constexpr int kMostRefusals = 20;  // in a row, within one call
constexpr nanoseconds kDeviceQueuePause = std::chrono::microseconds(250);

iovec as_iovec(Bytes bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};  // sendmsg does not write
}

void gather(std::span<const OutgoingPacket> packets, SendScratch& scratch) {
  for (size_t i = 0; i < packets.size(); ++i) {
    scratch.pieces[2 * i] = as_iovec(packets[i].header);
    scratch.pieces[2 * i + 1] = as_iovec(packets[i].payload);
  }
}

void count_sent(std::span<const OutgoingPacket> packets, SendCounters& counters) {
  counters.packets += packets.size();
  for (const OutgoingPacket& packet : packets) counters.bytes += packet.size();
}

// Errors of a kernel or device that cannot segment: no checksum offload (EIO), larger than the MTU (EINVAL, newer
// EMSGSIZE), before 4.18 (ENOPROTOOPT, EINVAL).
bool means_no_segmentation(int error) {
  return error == EIO || error == EINVAL || error == ENOPROTOOPT || error == EOPNOTSUPP || error == EMSGSIZE;
}

// The number of packets from the front that one UDP_SEGMENT call can take: of equal size, the last may be shorter.
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

UdpTarget::UdpTarget(const Address& to, const UdpSender::Settings& settings, nanoseconds patience)
    : socket_(open_sending_socket(to, settings)),
      text_(to.text),
      ipv6_(to.ipv6),
      patience_(patience),
      segmentation_(settings.allow_segmentation) {}

int UdpTarget::path_mtu() const { return transport::path_mtu(socket_.get(), ipv6_); }

void UdpTarget::send(std::span<const OutgoingPacket> packets, SendScratch& scratch, SendCounters& counters) {
  while (segmentation_ && !packets.empty()) {
    const auto run = packets.first(segment_run(packets));
    if (!send_segmented(run, scratch, counters)) break;  // nothing of `run` was sent; it is sent below
    packets = packets.subspan(run.size());
    if (stalled_) {
      counters.refused += packets.size();
      return;
    }
  }
  send_plain(packets, scratch, counters);
}

// Sends packets of equal size (the last may be shorter) in one call. False if they must be sent one by one.
bool UdpTarget::send_segmented(std::span<const OutgoingPacket> run, SendScratch& scratch, SendCounters& counters) {
  gather(run, scratch);
  msghdr message{};
  message.msg_iov = scratch.pieces.data();
  message.msg_iovlen = 2 * run.size();
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(uint16_t))> control{};
  Attempt attempt{.packets = run.size(), .largest = run[0].size(), .segmented = run.size() > 1};
  if (attempt.segmented) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = IPPROTO_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    const auto segment_bytes = static_cast<uint16_t>(run[0].size());
    std::memcpy(CMSG_DATA(header), &segment_bytes, sizeof segment_bytes);
  }
  last_packets_ = run.size();
  while (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) < 0) {
    switch (after(errno, attempt, counters)) {
      case Next::retry: continue;
      case Next::cut_here: return false;
      case Next::give_up: counters.refused += run.size(); return true;
    }
  }
  stalled_ = false;
  count_sent(run, counters);
  return true;
}

void UdpTarget::send_plain(std::span<const OutgoingPacket> packets, SendScratch& scratch, SendCounters& counters) {
  while (!packets.empty()) {
    const auto batch = packets.first(std::min(packets.size(), kMaxSegments));
    gather(batch, scratch);
    for (size_t i = 0; i < batch.size(); ++i) {
      scratch.messages[i] = {};
      scratch.messages[i].msg_hdr.msg_iov = &scratch.pieces[2 * i];
      scratch.messages[i].msg_hdr.msg_iovlen = 2;
    }
    last_packets_ = 1;
    size_t done = 0;
    Attempt attempt;
    while (done < batch.size()) {
      const int sent = ::sendmmsg(socket_.get(), scratch.messages.data() + done,
                                  static_cast<unsigned>(batch.size() - done), MSG_NOSIGNAL);
      if (sent > 0) {
        stalled_ = false;
        count_sent(batch.subspan(done, static_cast<size_t>(sent)), counters);
        done += static_cast<size_t>(sent);
        continue;
      }
      attempt.largest = batch[done].size();
      if (after(errno, attempt, counters) == Next::retry) continue;
      if (stalled_) {
        counters.refused += packets.size() - done;
        return;
      }
      ++counters.refused;
      ++done;  // this one cannot be sent; the next may
      attempt = {};
    }
    packets = packets.subspan(batch.size());
  }
}

// ECONNREFUSED reports an earlier packet and clears itself, so this packet is sent again: the receiver may have just
// started.
UdpTarget::Next UdpTarget::after(int error, Attempt& attempt, SendCounters& counters) {
  switch (error) {
    case EINTR: return Next::retry;
    case EAGAIN:
    case ENOBUFS: return wait_for_room(error, attempt) ? Next::retry : Next::give_up;
    case ECONNREFUSED:
      ++refusals_;
      if (++attempt.refusals > kMostRefusals) return Next::give_up;
      counters.refused += attempt.packets;
      return Next::retry;
    default: break;
  }
  if (attempt.segmented && means_no_segmentation(error)) {
    segmentation_ = false;
    if (!too_large_for_path(attempt.largest))
      log_info("the kernel or the network device does not segment UDP packets (UDP_SEGMENT): sending to {} one by one",
               text_);
    return Next::cut_here;
  }
  if (error == EMSGSIZE && !fragments_ && too_large_for_path(attempt.largest)) {
    begin_fragments(attempt.largest);
    return Next::retry;
  }
  return Next::give_up;
}

bool UdpTarget::wait_for_room(int error, Attempt& attempt) {
  if (stalled_) return false;
  const SteadyTime now = steady_now();
  if (attempt.waiting_since == SteadyTime{}) attempt.waiting_since = now;
  const SteadyTime limit = attempt.waiting_since + patience_;
  if (now >= limit) {
    stalled_ = true;
    return false;
  }
  pollfd room{socket_.get(), POLLOUT, 0};
  if (error == EAGAIN)
    poll_until({&room, 1}, limit);
  else
    std::this_thread::sleep_until(std::min(limit, now + kDeviceQueuePause));
  return true;
}

size_t UdpTarget::packet_bytes(size_t datagram_bytes) const {
  return datagram_bytes + static_cast<size_t>(ip_udp_header_bytes(ipv6_));
}

bool UdpTarget::too_large_for_path(size_t datagram_bytes) const {
  const int mtu = path_mtu();
  return mtu > 0 && packet_bytes(datagram_bytes) > static_cast<size_t>(mtu);
}

void UdpTarget::begin_fragments(size_t datagram_bytes) {
  log_warning(
      "packets of {} bytes exceed the path MTU to {}, which is {}: they are sent in fragments, and losing a "
      "fragment loses the packet; give --mtu {}",
      packet_bytes(datagram_bytes), text_, path_mtu(), path_mtu());
  fragments_ = true;
  allow_fragments(socket_.get(), ipv6_);
}

}  // namespace texcast::transport
