// Limits that protect the server and its viewers: slow and silent connections, floods, malformed messages.
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

#include "server_support.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

// A client whose kernel takes few bytes that it does not read.
std::unique_ptr<WebClient> viewer_with_small_buffer(uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int bytes = 4096;
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  auto client = std::make_unique<WebClient>(std::move(socket));
  REQUIRE(client->upgrade({{"Host", "localhost"}, {"Origin", "http://localhost"}}).status == 101);
  client->send_text(hello());
  REQUIRE(json::parse(client->read_text())["type"] == "welcome");
  return client;
}

// Changes how many files this process may open, for the length of a scope.
class DescriptorLimit {
 public:
  DescriptorLimit() { getrlimit(RLIMIT_NOFILE, &before_); }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  void set(rlim_t most) const {
    rlimit limit = before_;
    limit.rlim_cur = std::min(most, before_.rlim_max);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  }

 private:
  rlimit before_{};
};

// A datagram of 1200 bytes with its number.
std::string numbered(uint32_t number) {
  std::string datagram(1200, static_cast<char>('a' + number % 26));
  datagram.replace(0, 8, fmt::format("{:08}", number));
  return datagram;
}

web::ViewerStatus status_of(const web::Server& server, web::ViewerId id) {
  for (const web::ViewerStatus& one : server.viewers())
    if (one.id == id) return one;
  return {};
}

}  // namespace

TEST_CASE("a viewer that stops reading loses whole datagrams, and costs the others none") {
  auto patient = settings();
  patient.limits.stalled = 1h;
  web::Server server(patient);
  const auto stream = server.add(bc1());
  const auto fast = viewer(server.port());
  const auto slow = viewer_with_small_buffer(server.port());
  wait_until([&] { return stream->viewers() == 2; });
  constexpr uint32_t kAtOnce = 20;  // one message
  uint32_t sent = 0;
  // A frame of 24,000 bytes after the other. The fast viewer gets each of them.
  while (status_of(server, 2).dropped_datagrams == 0) {
    std::vector<std::string> datagrams;
    for (uint32_t i = 0; i < kAtOnce; ++i) datagrams.push_back(numbered(sent++));
    std::vector<transport::OutgoingPacket> packets;
    for (const std::string& datagram : datagrams) packets.push_back(packet(datagram));
    stream->send(web::Channel::picture, packets);
    CHECK(datagrams_in(fast->read_binary(), 0) == datagrams);
    REQUIRE(sent < 1'000'000);
  }
  const web::ViewerStatus there = status_of(server, 2);
  CHECK(there.dropped_datagrams == kAtOnce);
  CHECK(status_of(server, 1).dropped_datagrams == 0);
  // The limit bounds what waits, beside the bytes that the kernel takes ahead.
  CHECK(there.queued_bytes < patient.limits.least_queue_bytes + (1 << 20));
  // The slow viewer reads again. It gets the datagrams before the gap, complete and in order, and then the newest.
  uint32_t expected = 0;
  while (expected < sent - kAtOnce) {
    for (const std::string& datagram : datagrams_in(slow->read_binary(), 0)) {
      CHECK((datagram == numbered(expected)));
      ++expected;
    }
  }
  wait_until([&] {
    const std::string newest = numbered(sent);
    stream->send(web::Channel::picture, std::vector{packet(newest)});
    CHECK((datagrams_in(fast->read_binary(), 0).front() == newest));
    ++sent;
    return status_of(server, 2).dropped_datagrams + expected + 1 == sent;
  });
  CHECK((datagrams_in(slow->read_binary(), 0).front() == numbered(sent - 1)));
}

TEST_CASE("a viewer that reads nothing any more is sent away after a while, and the others go on") {
  auto quick = settings();
  quick.limits.stalled = 300ms;
  web::Server server(quick);
  const auto stream = server.add(bc1());
  const auto slow = viewer_with_small_buffer(server.port());
  const auto good = viewer(server.port());
  wait_until([&] { return stream->viewers() == 2; });
  const std::string datagram(60'000, 'x');
  wait_until([&] {
    stream->send(web::Channel::picture, std::vector{packet(datagram)});
    CHECK(datagrams_in(good->read_binary(), 0).size() == 1);
    return stream->viewers() == 1;
  });
  CHECK(server.viewers().front().id == 2);
}

TEST_CASE("a connection that says nothing is closed: before its request, and before its hello") {
  auto quick = settings();
  quick.limits.request = quick.limits.hello = quick.limits.idle = 50ms;
  web::Server server(quick);
  WebClient silent(server.port());
  CHECK(silent.read_reply().status == 0);
  WebClient half(server.port());
  half.send("GET / HTTP/1.1\r\nHost: local");
  CHECK(half.read_reply().status == 0);
  WebClient idle(server.port());
  idle.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(idle.read_reply().status == 200);
  CHECK(idle.read_reply().status == 0);
  WebClient without_hello(server.port());
  without_hello.send("");
  if (without_hello.upgrade().status == 101) CHECK(without_hello.read_close() == 0);
}

TEST_CASE("a download without progress is closed") {
  static const std::string large(32 << 20, 'x');
  const std::vector<web::File> files = {{.path = "/large", .type = "text/plain", .gzip = bytes_of(large)}};
  auto quick = settings();
  quick.page = files;
  quick.limits.download = 300ms;
  quick.limits.most_strangers_per_address = 1;
  web::Server server(quick);
  WebClient client(server.port());
  client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  wait_until([&] {  // its place is free again
    WebClient other(server.port());
    return other.try_send("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n") && other.read_reply().status == 404;
  });
  CHECK(client.read_reply().body != large);
}

TEST_CASE("1000 connections: strangers are limited in all and per address, and viewers go on") {
  DescriptorLimit descriptors;
  descriptors.set(4096);
  auto patient = settings();
  patient.limits.request = 1h;
  web::Server server(patient);
  const auto stream = server.add(bc1());
  const auto first = viewer(server.port());
  wait_until([&] { return stream->viewers() == 1; });
  std::vector<Descriptor> attackers;
  for (int i = 0; i < 1000; ++i) try {
      attackers.push_back(connect_to(server.port(), "127.0.0.1", fmt::format("127.0.1.{}", 1 + i % 10)));
    } catch (const std::runtime_error&) {  // closed by the server before connect() returned
    }
  // The server has seen them all when it has answered this one, or closed it, as there are 128 strangers.
  WebClient last(server.port());
  if (last.try_send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")) CHECK(last.read_reply().status == 0);
  int open = 0;
  for (const Descriptor& one : attackers) {
    char byte = 0;
    const ssize_t got = recv(one.get(), &byte, 1, MSG_DONTWAIT);
    open += got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  CHECK(open == 128);
  stream->send(web::Channel::picture, std::vector{packet("still here")});
  CHECK(datagrams_in(first->read_binary(), 0) == std::vector<std::string>{"still here"});
  attackers.clear();
  // Other viewers come as soon as the connections are gone.
  wait_until([&] {
    WebClient client(server.port());
    return client.try_send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") && client.read_reply().status == 200;
  });
}

TEST_CASE("a process without a descriptor for a connection closes it, and serves the next one when it has") {
  web::Server server(settings());
  CHECK(WebClient(server.port()).get("/").status == 200);
  const auto used = viewer(server.port());
  DescriptorLimit descriptors;
  const int next = dup(0);  // the lowest free descriptor
  REQUIRE(next >= 0);
  ::close(next);
  descriptors.set(static_cast<rlim_t>(next) + 1);  // only for the client's end
  {
    WebClient client(server.port());
    client.try_send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(client.read_reply().status == 0);
  }
  descriptors.set(static_cast<rlim_t>(next) + 10);
  CHECK(WebClient(server.port()).get("/").status == 200);
}

TEST_CASE("one address has at most 32 connections that are no viewers, and other addresses have theirs") {
  auto patient = settings();
  patient.limits.request = 1h;
  web::Server server(patient);
  const auto stream = server.add(bc1());
  std::vector<Descriptor> attackers;
  for (int i = 0; i < 40; ++i) attackers.push_back(connect_to(server.port(), "127.0.0.1", "127.0.0.9"));
  CHECK(WebClient(server.port()).get("/").status == 200);
  int open = 0;
  for (const Descriptor& one : attackers) {
    char byte = 0;
    open += recv(one.get(), &byte, 1, MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  CHECK(open == 32);
}

TEST_CASE("250 viewers of one stream get everything, and one too many gets a line") {
  auto many = settings();
  many.most_viewers = 250;
  web::Server server(many);
  const auto stream = server.add(bc1());
  std::vector<std::unique_ptr<WebClient>> clients;
  for (int i = 0; i < 250; ++i) clients.push_back(viewer(server.port()));
  CHECK(answer_to(server.port(), hello()) == 4003);
  wait_until([&] { return stream->viewers() == 250; });
  for (uint32_t i = 0; i < 20; ++i) {
    const std::string datagram = numbered(i);
    stream->send(web::Channel::picture, std::vector{packet(datagram)});
    for (const auto& client : clients) CHECK((datagrams_in(client->read_binary(), 0).front() == datagram));
  }
  clients.front()->close();
  wait_until([&] { return stream->viewers() == 249; });
  CHECK(answer_to(server.port(), hello()) == 0);
}

TEST_CASE("malformed messages end the viewer that sent them only") {
  web::Server server(settings());
  const auto stream = server.add(bc1());
  const auto good = viewer(server.port());
  // Before the hello.
  for (const std::string& text : {std::string("{}"), std::string("hello"), std::string(4000, '[')})
    CHECK(answer_to(server.port(), text) == 4008);
  {
    WebClient client(server.port());
    REQUIRE(client.upgrade().status == 101);
    client.send_binary(binary_message(0, {"too early"}));
    CHECK(refusal(client) == 4008);
  }
  const auto code_after = [&](const std::string& bytes, bool welcomed) {
    std::unique_ptr<WebClient> client;
    if (welcomed) {
      client = viewer(server.port());
    } else {
      client = std::make_unique<WebClient>(server.port());
      REQUIRE(client->upgrade().status == 101);
    }
    client->try_send(bytes);
    return client->read_close();
  };
  using Client = WebClient;
  CHECK(code_after(Client::frame(1, std::string(5000, ' ')), false) == 1009);
  CHECK(code_after(Client::frame(1, "\xFF"), false) == 1007);
  CHECK(code_after(Client::frame(2, binary_message(0, {"x"}) + "\x05"), true) == 4008);
  CHECK(code_after(Client::frame(2, ""), true) == 4008);
  CHECK(code_after(Client::frame(2, std::string(3000, '\0')), true) == 1009);
  // A message in 3000 parts.
  std::string parts = Client::frame(2, std::string(1, '\0'), false);
  for (int i = 0; i < 3000; ++i) parts += Client::frame(0, "x", i == 2999);
  const int code = code_after(parts, true);
  CHECK((code == 1009 || code == 0));  // 0: parts that were not read yet made the connection end with a reset
  // No frame at all, and those that RFC 6455 forbids: any close will do.
  for (const std::string& bytes :
       {std::string(500, '\xFF'), Client::frame(3, "reserved"), Client::frame(11, "reserved"),
        Client::frame(9, std::string(200, 'p')), Client::frame(9, "part", false),
        std::string("\x82\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 10) + std::string(100, 'x'),
        Client::frame(0, "continues nothing")}) {
    const auto client = viewer(server.port());
    client->try_send(bytes);
    shutdown_writing(*client);
    client->read_close();
  }
  stream->send(web::Channel::picture, std::vector{packet("fine")});
  wait_until([&] { return stream->viewers() == 1; });
  CHECK(datagrams_in(good->read_binary(), 0) == std::vector<std::string>{"fine"});
}

TEST_CASE("a flood of feedback is dropped above a rate, and ends the viewer when it goes on") {
  auto strict = settings();
  strict.limits.feedback_per_second = 10;
  web::Server server(strict);
  const auto stream = server.add(bc1());
  const auto client = viewer(server.port());
  std::atomic<bool> stop = false;
  std::thread flood([&] {
    const std::string message = WebClient::frame(2, binary_message(0, {"feedback"}));
    while (!stop && client->try_send(message)) {
    }
  });
  uint64_t taken = 0, refused = 0;
  wait_until([&] {
    stream->take_feedback([&](const web::Stream::Feedback& feedback) {
      taken += feedback.kind == web::Stream::Feedback::Kind::datagram;
    });
    for (const auto& one : server.viewers()) refused = std::max(refused, one.refused_feedback);
    return stream->viewers() == 0 && server.viewers().empty();
  });
  stop = true;
  flood.join();
  CHECK(taken >= 10);
  CHECK(client->read_frame().payload.find("4008") != std::string::npos);
}

TEST_CASE("feedback that nobody takes is bounded, and one viewer cannot keep out the others'") {
  auto fast = settings();
  fast.limits.feedback_per_second = 1'000'000;
  web::Server server(fast);
  const auto stream = server.add(bc1());
  const auto loud = viewer(server.port()), quiet = viewer(server.port());
  const std::vector<std::string> hundred(100, "feedback");
  for (int i = 0; i < 200; ++i) loud->send_binary(binary_message(0, hundred));
  wait_until([&] { return status_of(server, 1).refused_feedback + status_of(server, 1).feedback_datagrams == 20'000; });
  CHECK(status_of(server, 1).feedback_datagrams == 512);
  quiet->send_binary(binary_message(1, {"mine"}));
  wait_until([&] { return status_of(server, 2).feedback_datagrams == 1; });
  size_t taken = 0;
  stream->take_feedback(
      [&](const web::Stream::Feedback& feedback) { taken += feedback.kind == web::Stream::Feedback::Kind::datagram; });
  CHECK(taken == 513);
  loud->send_binary(binary_message(0, {"again"}));
  wait_until([&] { return status_of(server, 1).feedback_datagrams == 513; });
}

TEST_CASE("threads may send while viewers come and go and the server ends") {
  std::vector<std::thread> senders;
  std::atomic<bool> stop = false;
  {
    web::Server server(settings());
    const auto stream = server.add(bc1());
    for (int i = 0; i < 3; ++i)
      senders.emplace_back([&stop, stream, i] {
        const std::string datagram(1000, 'x');
        const std::vector packets(10, packet(datagram));
        while (!stop) {
          stream->send(i == 2 ? web::Channel::sound : web::Channel::picture, packets);
          stream->take_feedback([](const web::Stream::Feedback&) {});
          std::this_thread::yield();
        }
      });
    for (int i = 0; i < 30; ++i) {
      const auto client = viewer(server.port());
      CHECK(!datagrams_in(client->read_binary().replace(0, 1, 1, '\0'), 0).empty());
    }
  }
  stop = true;
  for (std::thread& sender : senders) sender.join();
}

TEST_CASE("settings out of range and addresses that cannot be used are refused in one line") {
  const auto error = [](const std::function<void(web::ServerSettings&)>& change) {
    web::ServerSettings wrong = settings();
    change(wrong);
    try {
      web::Server server(wrong);
    } catch (const Error& thrown) {
      return std::string(thrown.what());
    }
    return std::string("nothing was thrown");
  };
  CHECK(error([](auto& s) { s.most_viewers = 0; }).find("viewers 0") != std::string::npos);
  CHECK(error([](auto& s) { s.access.links = 1001; }).find("links 1001") != std::string::npos);
  CHECK(error([](auto& s) { s.certificate = "only.pem"; }).find("both") != std::string::npos);
  CHECK(error([](auto& s) { s.address = "192.0.2.1"; }).find("no address of this machine") != std::string::npos);
  CHECK(error([](auto& s) { s.address = "name.invalid"; }).find("name.invalid") != std::string::npos);
  const web::Server server(settings());
  CHECK(error([&](auto& s) { s.port = server.port(); }).find("another program") != std::string::npos);
}
