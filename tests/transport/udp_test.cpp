// Real sockets on loopback. The linker routes the module's sendmsg() through here (--wrap), so that a kernel that
// refuses UDP_SEGMENT can be had on demand.
#include <dirent.h>
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "base/error.h"
#include "support.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {
std::atomic<int> segmented_calls_until_failure{-1};  // -1: never
std::atomic<int> failure{0};
std::atomic<int> segmented_calls{0};
}  // namespace

extern "C" ssize_t __real_sendmsg(int, const msghdr*, int);
extern "C" ssize_t __wrap_sendmsg(int socket, const msghdr* message, int flags) {
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

namespace {

struct Link {
  explicit Link(const std::string& listen = "rtp://127.0.0.1:0", bool segmentation = true, bool gro = true)
      : receiver({.address = resolve_address(listen, true), .allow_gro = gro}) {
    const bool ipv6 = listen.find("[") != listen.npos;
    to = {resolve_address((ipv6 ? "rtp://[::1]:" : "rtp://127.0.0.1:") + std::to_string(receiver.port()), false)};
    sender.emplace(UdpSender::Settings{.destinations = to, .allow_segmentation = segmentation});
  }
  // Until `count` datagrams are there, at most two seconds.
  std::vector<Datagram> receive(size_t count) {
    std::vector<Datagram> received;
    const SteadyTime limit = steady_now() + 2s;
    while (received.size() < count && steady_now() < limit)
      receiver.receive(limit, [&](Bytes d) { received.emplace_back(d.begin(), d.end()); });
    return received;
  }
  UdpReceiver receiver;
  std::vector<Address> to;
  std::optional<UdpSender> sender;
};

}  // namespace

TEST_CASE("every datagram arrives as it was sent: with and without UDP_SEGMENT, UDP_GRO, IPv6") {
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

TEST_CASE("a kernel that refuses UDP_SEGMENT: the same datagrams, none twice, one by one from then on") {
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
      CHECK(segmented_calls == 0);  // for good
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
}

TEST_CASE("feedback: what a receiver sends back reaches the sender, with the destination that it came from") {
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
      const SteadyTime limit = steady_now() + 2s;
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
    const SteadyTime limit = steady_now() + 2s;
    while (came.size() < 2 && steady_now() < limit) sender.wait(limit, keep);
    REQUIRE(came.size() == 2);
    for (const size_t i : {0u, 1u}) {
      const size_t d = came[i].destination;
      CHECK(same(bytes[i], d == 0 ? first : second));
      const uint16_t port = (d == 0 ? a : b).receiver.port();
      CHECK(to_text(came[i].from).ends_with(":" + std::to_string(port)));
    }
    CHECK(came[0].destination != came[1].destination);

    sender.send_to(1, packets);  // an answer goes to one alone
    CHECK(b.receive(packets.size()).size() == packets.size());
    CHECK(a.receiver.receive(steady_now() + 5ms, [](Bytes) {}) == 0);
    // A stranger's datagram is nothing that came back.
    UdpSender stranger({.destinations = std::span(&both[0], 1)});
    stranger.send(packets);
    sender.wait(steady_now() + 5ms, keep);
    CHECK(came.size() == 2);
  }
}

TEST_CASE("a sender that waits ends at its deadline, at wake(), and not at once where nobody listens") {
  std::vector<Address> nobody;
  { nobody = Link().to; }
  UdpSender sender({.destinations = nobody});
  const auto nothing = [](const Feedback&) { FAIL("from whom?"); };
  PlainPacketizer packetizer(small_settings());
  const auto frame = random_bytes(kSmallFrame, 1);
  sender.send(packetizer.packetize(frame, {}));
  std::this_thread::sleep_for(2ms);  // "port unreachable" is there by now, and makes the socket readable
  sender.wait(steady_now() + 1s, nothing);
  CHECK(sender.counters().refused > 0);
  const SteadyTime begin = steady_now();
  sender.wait(begin + 20ms, nothing);
  CHECK(steady_now() - begin >= 20ms);
  std::thread waker([&] {
    std::this_thread::sleep_for(5ms);
    sender.wake();
  });
  sender.wait(begin + 10s, nothing);
  waker.join();
  sender.wake();  // before the wait counts as well
  sender.wait(begin + 10s, nothing);
  CHECK(steady_now() - begin < 5s);
}

TEST_CASE("nobody listens: counted, and a receiver that comes up misses nothing after") {
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
    const SteadyTime limit = steady_now() + 2s;
    while (received < packets.size() && steady_now() < limit) receiver.receive(limit, [&](Bytes) { ++received; });
    CHECK(received == packets.size());
  }
}

TEST_CASE("a port in use, an address that is not ours") {
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
  CHECK(link.receiver.receive(begin, [](Bytes) {}) == 0);  // in the past: looks once

  std::thread waker([&] {
    std::this_thread::sleep_for(20ms);
    link.receiver.wake();
  });
  const SteadyTime wait_begin = steady_now();
  CHECK(link.receiver.receive(wait_begin + 10s, [](Bytes) {}) == 0);
  CHECK(steady_now() - wait_begin < 5s);
  waker.join();
  link.receiver.wake();  // before the wait counts as well
  CHECK(link.receiver.receive(steady_now() + 10s, [](Bytes) {}) == 0);
  CHECK(steady_now() - wait_begin < 9s);
}

TEST_CASE("the receive buffer is checked: advice names the line that mends it, drops are counted") {
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
  sender.send(packetizer.packetize(random_bytes(64, 1), {}));  // brings the count of what was dropped before it
  drain();
  CHECK(received > 1);
  CHECK(tiny.dropped_by_kernel() + static_cast<uint64_t>(received) == sender.counters().packets);
  CHECK(tiny.dropped_by_kernel() > 100);
}

TEST_CASE("a slow receiver on a full send buffer makes the sender wait, not fail") {
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

TEST_CASE("multicast: joined, sent, received by two") {
  const std::string group = "rtp://239.255.77.1:";
  try {
    UdpReceiver a({.address = resolve_address(group + "0", true)});
    const std::string url = group + std::to_string(a.port());
    UdpReceiver b({.address = resolve_address(url, true)});
    const std::vector<Address> to = {resolve_address(url, false)};
    UdpSender sender({.destinations = to, .multicast_ttl = 0});  // never leaves the machine
    PlainPacketizer packetizer(small_settings());
    const auto frame = random_bytes(kSmallFrame, 1);
    const auto packets = packetizer.packetize(frame, {});
    sender.send(packets);
    for (UdpReceiver* receiver : {&a, &b}) {
      size_t received = 0;
      const SteadyTime limit = steady_now() + 2s;
      while (received < packets.size() && steady_now() < limit) receiver->receive(limit, [&](Bytes) { ++received; });
      CHECK(received == packets.size());
    }
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::network);
    MESSAGE("SKIP: no multicast on this machine (" << error.what() << ")");
  }
}

TEST_CASE("no descriptor is left behind, also where a constructor throws") {
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
