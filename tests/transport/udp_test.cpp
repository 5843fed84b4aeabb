// Real sockets on loopback. The linker redirects the module's sendmsg(), sendmmsg() and getsockopt() to this file
// (--wrap), to simulate a kernel that refuses UDP_SEGMENT, a queue that stays full, and a path with a small MTU.
#include <dirent.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "../patience.h"
#include "../times.h"
#include "support.h"
#include "texcast/error.h"
#include "transport/interface.h"
#include "transport/network_check.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;
using texcast::test::kPatience;

namespace {
std::atomic<int> segmented_calls_until_failure{-1};  // -1: never
std::atomic<int> failure{0};
std::atomic<int> segmented_calls{0};
std::atomic<int> full_socket{-1};  // its queue accepts nothing
std::atomic<int> full_calls{0};
std::atomic<int> narrow_path_mtu{0};  // of every path, until the kernel may fragment packets
}  // namespace

extern "C" ssize_t __real_sendmsg(int, const msghdr*, int);
extern "C" ssize_t __wrap_sendmsg(int socket, const msghdr* message, int flags) {
  if (socket == full_socket) {
    ++full_calls;
    errno = EAGAIN;
    return -1;
  }
  if (narrow_path_mtu > 0) {
    errno = EMSGSIZE;
    return -1;
  }
  if (message->msg_controllen > 0) {
    if (segmented_calls_until_failure == 0) {
      errno = failure;
      return -1;
    }
    if (segmented_calls_until_failure > 0) --segmented_calls_until_failure;
    ++segmented_calls;
  }
  return __real_sendmsg(socket, message, flags);
}

extern "C" int __real_sendmmsg(int, mmsghdr*, unsigned, int);
extern "C" int __wrap_sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) {
  if (socket == full_socket) {
    ++full_calls;
    errno = EAGAIN;
    return -1;
  }
  int discover = -1;
  socklen_t length = sizeof discover;
  if (narrow_path_mtu > 0 && ::getsockopt(socket, IPPROTO_IP, IP_MTU_DISCOVER, &discover, &length) == 0 &&
      discover == IP_PMTUDISC_DO) {
    errno = EMSGSIZE;
    return -1;
  }
  return __real_sendmmsg(socket, messages, count, flags);
}

extern "C" int __real_getsockopt(int, int, int, void*, socklen_t*);
extern "C" int __wrap_getsockopt(int socket, int level, int option, void* value, socklen_t* length) {
  if (narrow_path_mtu > 0 && level == IPPROTO_IP && option == IP_MTU) {
    const int mtu = narrow_path_mtu;
    std::memcpy(value, &mtu, sizeof mtu);
    return 0;
  }
  return __real_getsockopt(socket, level, option, value, length);
}

namespace {

// The newest descriptor of this process that is connected to that port of loopback; -1: none.
int socket_to(uint16_t port) {
  for (int fd = 1023; fd >= 0; --fd) {
    sockaddr_in peer{};
    socklen_t length = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) == 0 && peer.sin_family == AF_INET &&
        ntohs(peer.sin_port) == port)
      return fd;
  }
  return -1;
}

struct Link {
  explicit Link(const std::string& listen = "rtp://127.0.0.1:0", bool segmentation = true, bool gro = true)
      : receiver({.address = resolve_address(listen, true), .allow_gro = gro}) {
    const bool ipv6 = listen.find("[") != listen.npos;
    to = {resolve_address((ipv6 ? "rtp://[::1]:" : "rtp://127.0.0.1:") + std::to_string(receiver.port()), false)};
    sender.emplace(UdpSender::Settings{.destinations = to, .allow_segmentation = segmentation});
  }
  // Until `count` datagrams have arrived.
  std::vector<Datagram> receive(size_t count) {
    std::vector<Datagram> received;
    const SteadyTime limit = steady_now() + kPatience;
    while (received.size() < count && steady_now() < limit)
      receiver.receive(limit, [&](Bytes d) { received.emplace_back(d.begin(), d.end()); });
    return received;
  }
  UdpReceiver receiver;
  std::vector<Address> to;
  std::optional<UdpSender> sender;
};

}  // namespace

TEST_CASE("every datagram arrives as sent: with and without UDP_SEGMENT, UDP_GRO, IPv6") {
  for (const char* listen : {"rtp://127.0.0.1:0", "rtp://[::1]:0", "rtp://:0"}) {
    for (const bool segmentation : {true, false}) {
      for (const bool gro : {true, false}) {
        CAPTURE(listen);
        CAPTURE(segmentation);
        CAPTURE(gro);
        Link link(listen, segmentation, gro);
        segmented_calls = 0;
        PacketizerSettings settings = small_settings();
        settings.mtu = 1500;
        PlainPacketizer packetizer(settings);
        const auto frame = random_bytes(200'000, 5);  // 141 packets: several calls, a short last one
        const auto packets = packetizer.packetize(frame, {});
        link.sender->send(packets);
        const auto received = link.receive(packets.size());
        REQUIRE(received.size() == packets.size());
        for (size_t i = 0; i < packets.size(); ++i) REQUIRE(received[i] == join(packets[i]));
        CHECK(link.sender->counters().packets == packets.size());
        CHECK(link.sender->counters().refused == 0);
        CHECK(link.sender->uses_segmentation() == segmentation);
        CHECK((segmented_calls > 0) == segmentation);
        CHECK(link.receiver.dropped_by_kernel() == 0);
      }
    }
  }
}

TEST_CASE("a datagram has the kernel's time of arrival, however long it waits afterwards") {
  for (const bool gro : {true, false}) {
    CAPTURE(gro);
    Link link("rtp://127.0.0.1:0", true, gro);
    PlainPacketizer packetizer(small_settings());
    const auto frame = random_bytes(kSmallFrame, 5);
    const SteadyTime limit = steady_now() + kPatience;
    // The kernel begins to stamp some time after a socket has requested it.
    for (bool stamps = false; !stamps;) {
      REQUIRE(steady_now() < limit);
      const WallTime before = wall_now();
      link.sender->send(packetizer.packetize(frame, {}));
      const WallTime sent = wall_now();
      std::this_thread::sleep_for(20ms);
      int datagrams = 0, in_time = 0;
      while (datagrams < 5 && steady_now() < limit)
        link.receiver.receive(limit, [&](Bytes, const PeerAddress&, WallTime came) {
          CHECK(came >= before);
          in_time += came <= sent;
          ++datagrams;
        });
      stamps = in_time == 5;
    }
  }
}

TEST_CASE("a kernel that refuses UDP_SEGMENT: the same datagrams, no duplicates, one by one from then on") {
  for (const int error : {EIO, EINVAL, ENOPROTOOPT}) {
    for (const int good_calls : {0, 2}) {
      CAPTURE(error);
      CAPTURE(good_calls);
      Link link;
      failure = error;
      segmented_calls_until_failure = good_calls;
      PacketizerSettings settings = small_settings();
      settings.mtu = 1500;
      PlainPacketizer packetizer(settings);
      const auto frame = random_bytes(200'000, 6);
      const auto packets = packetizer.packetize(frame, {});
      link.sender->send(packets);
      segmented_calls_until_failure = -1;
      CHECK_FALSE(link.sender->uses_segmentation());
      segmented_calls = 0;
      link.sender->send(packets.first(3));
      CHECK(segmented_calls == 0);  // permanently
      const auto received = link.receive(packets.size() + 3);
      REQUIRE(received.size() == packets.size() + 3);
      for (size_t i = 0; i < packets.size(); ++i) REQUIRE(received[i] == join(packets[i]));
      CHECK(link.sender->counters().packets == packets.size() + 3);
    }
  }
}

TEST_CASE("two destinations get every packet") {
  Link a, b;
  std::vector<Address> both = {a.to[0], b.to[0]};
  UdpSender sender({.destinations = both});
  PlainPacketizer packetizer(small_settings());
  const auto frame = random_bytes(kSmallFrame, 1);
  const auto packets = packetizer.packetize(frame, {});
  sender.send(packets);
  CHECK(a.receive(packets.size()).size() == packets.size());
  CHECK(b.receive(packets.size()).size() == packets.size());
  CHECK(sender.counters().packets == 2 * packets.size());
  sender.send_to(1, packets.first(1));
  CHECK(sender.counters(0).packets == packets.size());
  CHECK(sender.counters(1).packets == packets.size() + 1);
  CHECK(sender.counters(0).bytes + sender.counters(1).bytes == sender.counters().bytes);
}

TEST_CASE("feedback from a receiver reaches the sender, with the destination that it came from") {
  for (const char* listen : {"rtp://127.0.0.1:0", "rtp://[::1]:0", "rtp://:0"}) {
    CAPTURE(listen);
    Link a(listen), b(listen);
    const std::vector<Address> both = {a.to[0], b.to[0]};
    UdpSender sender({.destinations = both});
    PlainPacketizer packetizer(small_settings());
    const auto frame = random_bytes(kSmallFrame, 1);
    const auto packets = packetizer.packetize(frame, {});
    const auto answer = [&](UdpReceiver& receiver, Bytes datagram) {
      PeerAddress source;
      size_t received = 0;
      const SteadyTime limit = steady_now() + kPatience;
      while (received < packets.size() && steady_now() < limit)
        receiver.receive(limit, [&](Bytes, const PeerAddress& from) { source = from, ++received; });
      REQUIRE(received == packets.size());
      CHECK(receiver.send_back(source, datagram));
      return source;
    };
    std::vector<Feedback> came;
    std::vector<Datagram> bytes;
    const auto keep = [&](const Feedback& f) {
      came.push_back(f);
      bytes.emplace_back(f.datagram.begin(), f.datagram.end());
    };
    sender.send(packets);
    sender.wait(steady_now(), keep);
    CHECK(came.empty());
    const auto first = random_bytes(20, 8), second = random_bytes(1300, 9);
    const PeerAddress from_a = answer(a.receiver, first);
    const PeerAddress from_b = answer(b.receiver, second);
    CHECK_FALSE(from_a == from_b);  // a socket for each destination
    const SteadyTime limit = steady_now() + kPatience;
    while (came.size() < 2 && steady_now() < limit) sender.wait(limit, keep);
    REQUIRE(came.size() == 2);
    for (const size_t i : {0u, 1u}) {
      const size_t d = came[i].destination;
      CHECK(same(bytes[i], d == 0 ? first : second));
      const uint16_t port = (d == 0 ? a : b).receiver.port();
      CHECK(to_text(came[i].from).ends_with(":" + std::to_string(port)));
    }
    CHECK(came[0].destination != came[1].destination);

    sender.send_to(1, packets);  // an answer goes to one destination only
    CHECK(b.receive(packets.size()).size() == packets.size());
    CHECK(a.receiver.receive(steady_now() + 5ms, [](Bytes) {}) == 0);
    // A stranger's datagram is not feedback.
    UdpSender stranger({.destinations = std::span(&both[0], 1)});
    stranger.send(packets);
    sender.wait(steady_now() + 5ms, keep);
    CHECK(came.size() == 2);
  }
}

TEST_CASE("wait() ends at its deadline and at wake(), and does not return at once if nobody listens") {
  std::vector<Address> nobody;
  { nobody = Link().to; }
  UdpSender sender({.destinations = nobody});
  const auto nothing = [](const Feedback&) { FAIL("from whom?"); };
  PlainPacketizer packetizer(small_settings());
  const auto frame = random_bytes(kSmallFrame, 1);
  sender.send(packetizer.packetize(frame, {}));
  std::this_thread::sleep_for(2ms);  // "port unreachable" has arrived by now, and makes the socket readable
  sender.wait(steady_now() + 1s, nothing);
  CHECK(sender.counters().refused > 0);
  const SteadyTime begin = steady_now();
  sender.wait(begin + 20ms, nothing);
  CHECK(steady_now() - begin >= 20ms);
  std::thread waker([&] {
    std::this_thread::sleep_for(5ms);
    sender.wake();
  });
  sender.wait(begin + kPatience, nothing);
  waker.join();
  sender.wake();  // before the wait counts too
  sender.wait(begin + kPatience, nothing);
  CHECK(steady_now() - begin < kPatience);
}

TEST_CASE("nobody listens: counted, and a receiver that starts later misses nothing from then on") {
  uint16_t port = 0;
  std::vector<Address> to;
  {
    const Link link;
    port = link.receiver.port();
    to = link.to;
  }
  for (const bool segmentation : {true, false}) {
    CAPTURE(segmentation);
    UdpSender sender({.destinations = to, .allow_segmentation = segmentation});
    PlainPacketizer packetizer(small_settings());
    const auto frame = random_bytes(kSmallFrame, 1);
    for (int i = 0; i < 5; ++i) sender.send(packetizer.packetize(frame, {}));
    CHECK(sender.counters().refused > 0);

    UdpReceiver receiver({.address = resolve_address("rtp://127.0.0.1:" + std::to_string(port), true)});
    const auto packets = packetizer.packetize(frame, {});
    sender.send(packets);
    size_t received = 0;
    const SteadyTime limit = steady_now() + kPatience;
    while (received < packets.size() && steady_now() < limit) receiver.receive(limit, [&](Bytes) { ++received; });
    CHECK(received == packets.size());
  }
}

TEST_CASE("a port in use, an address of another machine") {
  const Link first;
  const std::string port = std::to_string(first.receiver.port());
  for (const std::string& url : {"rtp://127.0.0.1:" + port, "rtp://:" + port}) {
    try {
      UdpReceiver second({.address = resolve_address(url, true)});
      FAIL("bound twice");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::network);
      CHECK(std::string(error.what()).starts_with("port " + port + " is in use: "));
    }
  }
  try {
    UdpReceiver other({.address = resolve_address("rtp://192.0.2.1:0", true)});
    FAIL("bound");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::network);
  }
}

TEST_CASE("receive() ends at its deadline and at wake()") {
  Link link;
  const SteadyTime begin = steady_now();
  CHECK(link.receiver.receive(begin + 30ms, [](Bytes) {}) == 0);
  CHECK(steady_now() - begin >= 30ms);
  CHECK(link.receiver.receive(begin, [](Bytes) {}) == 0);  // in the past: polls once

  std::thread waker([&] {
    std::this_thread::sleep_for(20ms);
    link.receiver.wake();
  });
  const SteadyTime wait_begin = steady_now();
  CHECK(link.receiver.receive(wait_begin + kPatience, [](Bytes) {}) == 0);
  CHECK(steady_now() - wait_begin < kPatience);
  waker.join();
  link.receiver.wake();  // before the wait counts too
  const SteadyTime second_begin = steady_now();
  CHECK(link.receiver.receive(second_begin + kPatience, [](Bytes) {}) == 0);
  CHECK(steady_now() - second_begin < kPatience);
}

TEST_CASE("the receive buffer is checked: advice contains the sysctl command, drops are counted") {
  Link link;
  CHECK(link.receiver.buffer_bytes() > 0);
  UdpReceiver::Settings wish{.address = resolve_address("rtp://127.0.0.1:0", true)};
  wish.receive_buffer_bytes = 1 << 30;  // the doubled value does not fit the kernel's int
  const UdpReceiver greedy(wish);
  if (greedy.buffer_bytes() < wish.receive_buffer_bytes)
    CHECK(greedy.buffer_advice() == "sysctl -w net.core.rmem_max=1073741824");
  else
    CHECK(greedy.buffer_advice().empty());

  wish.receive_buffer_bytes = 20'000;
  UdpReceiver tiny(wish);
  CHECK(tiny.buffer_advice().empty());
  const std::vector<Address> to = {resolve_address("rtp://127.0.0.1:" + std::to_string(tiny.port()), false)};
  UdpSender sender({.destinations = to, .allow_segmentation = false});
  PlainPacketizer packetizer(small_settings());
  const auto frame = random_bytes(500'000, 1);
  sender.send(packetizer.packetize(frame, {}));
  int received = 0;
  const auto drain = [&] {
    while (tiny.receive(steady_now() + 20ms, [&](Bytes) { ++received; }) > 0) {
    }
  };
  drain();
  sender.send(packetizer.packetize(random_bytes(64, 1), {}));  // delivers the count of datagrams dropped before it
  drain();
  CHECK(received > 1);
  CHECK(tiny.dropped_by_kernel() + static_cast<uint64_t>(received) == sender.counters().packets);
  CHECK(tiny.dropped_by_kernel() > 100);
}

TEST_CASE("with a slow receiver and a full send buffer the sender waits and does not fail") {
  Link link;
  UdpSender sender({.destinations = link.to, .send_buffer_bytes = 4096});
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  PlainPacketizer packetizer(settings);
  const auto frame = random_bytes(300'000, 1);
  const auto packets = packetizer.packetize(frame, {});
  sender.send(packets);
  CHECK(sender.counters().packets == packets.size());
  CHECK(sender.counters().refused == 0);
}

TEST_CASE("a sender without patience never waits for room") {
  Link dead, alive;
  const std::vector<Address> both = {dead.to[0], alive.to[0]};
  UdpSender sender({.destinations = both, .patience = 0s});
  full_socket = socket_to(dead.receiver.port());
  REQUIRE(full_socket >= 0);
  full_calls = 0;
  PlainPacketizer packetizer(small_settings());
  const auto frame = random_bytes(kSmallFrame, 1);
  sender.send(packetizer.packetize(frame, {}));
  CHECK(full_calls == 1);
  CHECK(alive.receive(1).size() > 0);
  full_socket = -1;
}

TEST_CASE("feedback for hundreds of destinations is found, and its descriptor wakes a receiver that watches it") {
  constexpr size_t kDestinations = 200;
  std::vector<std::unique_ptr<UdpReceiver>> receivers;
  std::vector<Address> to;
  for (size_t i = 0; i < kDestinations; ++i) {
    receivers.push_back(std::make_unique<UdpReceiver>(UdpReceiver::Settings{
        .address = resolve_address("rtp://127.0.0.1:0", true), .receive_buffer_bytes = 1 << 16, .allow_gro = false}));
    to.push_back(resolve_address("rtp://127.0.0.1:" + std::to_string(receivers.back()->port()), false));
  }
  UdpSender sender({.destinations = to, .send_buffer_bytes = 1 << 16});
  PlainPacketizer packetizer(small_settings());
  const auto frame = random_bytes(100, 1);
  sender.send(packetizer.packetize(frame, {}));
  Link other;
  other.receiver.watch(sender.descriptor());
  const SteadyTime limit = steady_now() + kPatience;
  CHECK(other.receiver.receive(steady_now(), [](Bytes) {}) == 0);
  for (const size_t i : {size_t{199}, size_t{3}}) {
    PeerAddress from;
    while (!from.known() && steady_now() < limit)
      receivers[i]->receive(limit, [&](Bytes, const PeerAddress& sent_from) { from = sent_from; });
    REQUIRE(receivers[i]->send_back(from, random_bytes(10, 1)));
    CHECK(other.receiver.receive(limit, [](Bytes) {}) == 0);
    CHECK(steady_now() < limit);
    std::vector<size_t> heard;
    sender.wait(limit, [&](const Feedback& feedback) { heard.push_back(feedback.destination); });
    CHECK(heard == std::vector<size_t>{i});
  }
  sender.remove(3, {});
  PeerAddress from;
  while (!from.known() && steady_now() < limit)
    receivers[150]->receive(limit, [&](Bytes, const PeerAddress& sent_from) { from = sent_from; });
  REQUIRE(receivers[150]->send_back(from, random_bytes(10, 1)));
  std::vector<size_t> heard;
  sender.wait(limit, [&](const Feedback& feedback) { heard.push_back(feedback.destination); });
  CHECK(heard == std::vector<size_t>{149});
}

TEST_CASE("a destination whose queue stays full does not affect the others") {
  for (const bool segmentation : {true, false}) {
    CAPTURE(segmentation);
    Link dead, alive;
    const std::vector<Address> both = {dead.to[0], alive.to[0]};
    UdpSender sender({.destinations = both, .allow_segmentation = segmentation});
    full_socket = socket_to(dead.receiver.port());
    REQUIRE(full_socket >= 0);
    full_calls = 0;
    PlainPacketizer packetizer(small_settings());
    const auto frame = random_bytes(kSmallFrame * 4, 1);
    size_t sent = 0;
    int first_calls = 0;
    for (int i = 0; i < 20; ++i) {
      const auto packets = packetizer.packetize(frame, {});
      if (i == 1) first_calls = full_calls.exchange(0);
      sender.send(packets);
      sent += packets.size();
    }
    CHECK(first_calls > 1);
    CHECK(full_calls == 19);  // it waited for room in the first call, then tried once per call
    CHECK(sender.counters().refused == sent);
    CHECK(sender.counters(0).refused == sent);
    CHECK(sender.counters(1).refused == 0);
    CHECK(alive.receive(sent).size() == sent);
    full_socket = -1;  // it accepts packets again
    sender.send(packetizer.packetize(frame, {}).first(3));
    CHECK(dead.receive(3).size() == 3);
  }
}

TEST_CASE("jumbo packets arrive complete") {
  for (const bool segmentation : {true, false}) {
    for (const bool gro : {true, false}) {
      Link link("rtp://127.0.0.1:0", segmentation, gro);
      CHECK(link.sender->path_mtu() >= 9000);
      PacketizerSettings settings = small_settings();
      settings.mtu = 9000;
      PlainPacketizer packetizer(settings);
      const auto frame = random_bytes(200'000, 5);
      const auto packets = packetizer.packetize(frame, {});
      CHECK(packets[0].size() > 8900);
      link.sender->send(packets);
      const auto received = link.receive(packets.size());
      REQUIRE(received.size() == packets.size());
      for (size_t i = 0; i < packets.size(); ++i) REQUIRE(received[i] == join(packets[i]));
    }
  }
}

TEST_CASE("a path with a small MTU: fragments, after a warning, and no packet lost") {
  Link link;
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  PlainPacketizer packetizer(settings);
  const auto frame = random_bytes(200'000, 5);
  const auto packets = packetizer.packetize(frame, {});
  narrow_path_mtu = 1400;
  CHECK(link.sender->path_mtu() == 1400);
  link.sender->send(packets);
  narrow_path_mtu = 0;
  CHECK(link.sender->counters().packets == packets.size());
  CHECK(link.sender->counters().refused == 0);
  CHECK(link.receive(packets.size()).size() == packets.size());
}

namespace {

// The interface for joining groups: one for multicast if there is any; loopback suffices for IPv4.
NetworkInterface multicast_interface() {
  const auto all = network_interfaces();
  const auto found = std::ranges::find_if(all, [](const auto& i) { return i.up && i.multicast && !i.loopback; });
  return found != all.end() ? *found : all.at(0);
}

// A frame to `group`, which never leaves the machine, reaches both of two receivers, and none of another group. If two
// receivers specify a source, it reaches only the one with the right source.
void check_group(const std::string& group, const std::string& other_group, unsigned on = multicast_interface().index) {
  CAPTURE(group);
  CAPTURE(on);
  try {
    const auto listen = [&](const std::string& where) {
      return std::make_unique<UdpReceiver>(
          UdpReceiver::Settings{.address = resolve_address("rtp://" + where, true), .interface_index = on});
    };
    const auto a = listen(group + ":0");
    const std::string port = ":" + std::to_string(a->port());
    const auto b = listen(group + port);
    const auto other = listen(other_group + port);
    const std::vector<Address> to = {resolve_address("rtp://" + group + port, false)};
    UdpSender sender({.destinations = to, .multicast_ttl = 0, .interface_index = on, .group_feedback = true});
    PlainPacketizer packetizer(small_settings());
    const auto frame = random_bytes(kSmallFrame, 1);
    const auto packets = packetizer.packetize(frame, {});
    PeerAddress source;
    const auto receive = [&](UdpReceiver& receiver) {
      size_t received = 0;
      const SteadyTime limit = steady_now() + kPatience;
      while (received < packets.size() && steady_now() < limit)
        receiver.receive(limit, [&](Bytes, const PeerAddress& from) { source = from, ++received; });
      return received;
    };
    sender.send(packets);
    CHECK(receive(*a) == packets.size());
    CHECK(receive(*b) == packets.size());
    CHECK(other->receive(steady_now(), [](Bytes) {}) == 0);

    // Members reply to the source address.
    const auto first = random_bytes(20, 8), second = random_bytes(1300, 9);
    CHECK(a->send_back(source, first));
    CHECK(b->send_back(source, second));
    std::vector<Datagram> said;
    const SteadyTime until = steady_now() + kPatience;
    while (said.size() < 2 && steady_now() < until)
      sender.wait(until, [&](const Feedback& feedback) {
        CHECK(feedback.destination == 0);
        CHECK_FALSE(feedback.control);
        said.emplace_back(feedback.datagram.begin(), feedback.datagram.end());
      });
    REQUIRE(said.size() == 2);
    std::ranges::sort(said, {}, &Datagram::size);
    CHECK(same(said[0], first));
    CHECK(same(said[1], second));

    std::string host = to_text(source);
    host.resize(host.rfind(':'));
    const auto right = listen(host + "@" + group + port);
    const auto wrong = listen((to[0].ipv6 ? "[2001:db8::9]@" : "198.51.100.9@") + group + port);
    sender.send(packets);
    CHECK(receive(*right) == packets.size());
    CHECK(wrong->receive(steady_now(), [](Bytes) {}) == 0);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::network);
    MESSAGE("SKIP: no such multicast on this machine: " << std::string(error.what()));
  }
}

}  // namespace

TEST_CASE("multicast on loopback: feedback of members arrives, though it is sent to the machine's other address") {
  const auto all = network_interfaces();
  const auto loopback = std::ranges::find_if(all, [](const auto& i) { return i.up && i.loopback; });
  if (loopback != all.end()) check_group("239.255.77.1", "239.255.77.2", loopback->index);
}

TEST_CASE("multicast: joined on an interface, sent through it, received by two, from one source only") {
  check_group("239.255.77.1", "239.255.77.2");
  check_group("[ff15::77:1]", "[ff15::77:2]");
  check_group("[ff02::77:1]", "[ff02::77:2]");  // link-local: the interface gives the scope
  const std::string scope = "%" + multicast_interface().name + "]";
  check_group("[ff02::77:1" + scope, "[ff02::77:2" + scope);
}

TEST_CASE("the control port: both directions, and a receiver does without if it is taken") {
  std::unique_ptr<UdpReceiver> receiver;
  for (int attempt = 0; attempt < 20 && !receiver; ++attempt) {  // a port whose successor is free too
    const uint16_t port = Link().receiver.port();
    if (port == 65535) continue;
    receiver = std::make_unique<UdpReceiver>(UdpReceiver::Settings{
        .address = resolve_address("rtp://127.0.0.1:" + std::to_string(port), true), .control = true});
    const std::vector<Address> to = {resolve_address("rtp://127.0.0.1:" + std::to_string(port), false)};
    UdpSender sender({.destinations = to, .control = true});
    const auto question = random_bytes(40, 1), answer = random_bytes(60, 2);
    sender.send_control(question);
    CHECK(receiver->receive(steady_now() + 1s, [](Bytes) { FAIL("that is the media port"); }) == 0);
    if (!receiver->control_waiting()) {  // that one was in use
      receiver.reset();
      continue;
    }
    int heard = 0;
    receiver->read_control([&](Bytes datagram, const PeerAddress& from) {
      ++heard;
      CHECK(same(datagram, question));
      CHECK(receiver->send_control_back(from, answer));
    });
    CHECK(heard == 1);
    CHECK_FALSE(receiver->control_waiting());
    int answers = 0;
    sender.wait(steady_now() + kPatience, [&](const Feedback& feedback) {
      ++answers;
      CHECK(feedback.control);
      CHECK(same(feedback.datagram, answer));
      CHECK(to_text(feedback.from) == "127.0.0.1:" + std::to_string(port + 1));
    });
    CHECK(answers == 1);

    const std::string before = std::to_string(port - 1);  // its control port is our media port
    try {
      UdpReceiver neighbour({.address = resolve_address("rtp://127.0.0.1:" + before, true), .control = true});
      neighbour.read_control([](Bytes, const PeerAddress&) { FAIL("from where?"); });
      CHECK_FALSE(neighbour.send_control_back({}, answer));
    } catch (const Error& error) {
      MESSAGE("SKIP: " << std::string(error.what()));
    }
  }
  REQUIRE(receiver);
}

TEST_CASE("interfaces: by name, by address; for an unknown one the message lists the existing ones") {
  CHECK(interface_index("lo") == interface_index("127.0.0.1"));
  try {
    interface_index("nosuch0");
    FAIL("found");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(std::string(error.what()).find("lo") != std::string::npos);
  }
}

TEST_CASE("URLs to send to: the listening address, or this machine's, likeliest first") {
  const std::vector<NetworkInterface> two = {
      {.name = "lo", .index = 1, .up = true, .loopback = true, .addresses = {"127.0.0.1", "::1"}},
      {.name = "eth0", .index = 2, .up = true, .addresses = {"fe80::1", "2001:db8::5", "192.168.1.20"}},
      {.name = "eth1", .index = 3, .up = true, .addresses = {"10.0.0.3"}},
      {.name = "eth2", .index = 4, .up = false, .addresses = {"10.9.9.9"}}};
  using Urls = std::vector<std::string>;
  CHECK(urls_of(two, 5004) == Urls{"rtp://192.168.1.20:5004", "rtp://10.0.0.3:5004", "rtp://[2001:db8::5]:5004"});
  CHECK(urls_of(two, 5006, 3) == Urls{"rtp://10.0.0.3:5006"});
  CHECK(urls_of({two[0]}, 5004) == Urls{"rtp://127.0.0.1:5004", "rtp://[::1]:5004"});
  CHECK(urls_to_send_to(resolve_address("rtp://127.0.0.1:0", true), 4711) == Urls{"rtp://127.0.0.1:4711"});
  CHECK(urls_to_send_to(resolve_address("rtp://239.1.2.3", true), 5004) == Urls{"rtp://239.1.2.3:5004"});
  for (const std::string& url : urls_to_send_to(resolve_address("rtp://:5004", true), 5004))
    CHECK_NOTHROW(resolve_address(url, false));
}

TEST_CASE("names for users: HOST:PORT as given, and a receiver under the stream's port") {
  CHECK(host_and_port(resolve_address("rtp://127.0.0.1", false)) == "127.0.0.1:5004");
  CHECK(host_and_port(resolve_address("rtp://127.0.0.1:77/", false)) == "127.0.0.1:77");
  CHECK(host_and_port(resolve_address("rtp://[::1]", false)) == "[::1]:5004");
  CHECK(host_and_port(resolve_address("rtp://[::1]:78", false)) == "[::1]:78");
  CHECK(with_port(PeerAddress{}, 5004) == PeerAddress{});
}

TEST_CASE("queueing disciplines: loopback has one, if the kernel reports any") {
  const auto queues = interface_queues();
  if (queues.empty()) MESSAGE("SKIP: rtnetlink tells nothing of queues here");
  for (const InterfaceQueue& queue : queues) {
    CHECK(queue.interface_index > 0);
    CHECK(queue.kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos);
  }
}

TEST_CASE("a receiver that joins in mid-stream gets the next frame completely") {
  UdpReceiver first({.address = resolve_address("rtp://127.0.0.1:0", true)});
  const std::vector<Address> to = {resolve_address("rtp://127.0.0.1:" + std::to_string(first.port()), false)};
  std::vector<Address> both = to;
  UdpReceiver late({.address = resolve_address("rtp://127.0.0.1:0", true)});
  both.push_back(resolve_address("rtp://127.0.0.1:" + std::to_string(late.port()), false));
  UdpSender before({.destinations = to});
  UdpSender after({.destinations = both});
  PlainPacketizer packetizer(small_settings());
  ReceiveSession session;
  std::vector<std::vector<std::byte>> shown;
  for (uint32_t i = 0; i < 6; ++i) {
    const auto frame = random_bytes(kSmallFrame, i);
    const auto packets = packetizer.packetize(frame, pts_only(i * 16'666'667ns));
    // It is received from the middle of frame 3 on.
    const size_t cut = i < 3 ? packets.size() : i == 3 ? packets.size() / 2 : 0;
    before.send(packets.first(cut));
    after.send(packets.subspan(cut));
    const SteadyTime now = SteadyTime(1s) + i * 16'666'667ns;
    late.receive(steady_now(), [&](Bytes datagram) { session.on_datagram(datagram, now, wall_of(now)); });
    while (const auto out = session.poll(now, wall_of(now))) {
      if (out->concealed_bytes == 0) shown.emplace_back(out->bytes.begin(), out->bytes.end());
      if (out->concealed_bytes == 0 && shown.size() == 1) CHECK(same(shown[0], random_bytes(kSmallFrame, 4)));
    }
  }
  CHECK(shown.size() == 2);  // 4 and 5
}

TEST_CASE("no descriptor leaks, even if a constructor throws") {
  const auto open_descriptors = [] {
    int count = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    REQUIRE(folder);
    while (::readdir(folder)) ++count;
    ::closedir(folder);
    return count;
  };
  const int before = open_descriptors();
  {
    const Link link;
    const std::string port = std::to_string(link.receiver.port());
    CHECK_THROWS_AS(UdpReceiver({.address = resolve_address("rtp://127.0.0.1:" + port, true)}), Error);
  }
  CHECK(open_descriptors() == before);
}
