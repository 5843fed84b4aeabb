// `texcast serve` as its viewers see it: streams pass unchanged, losses on the way in are repaired, and recordings are
// what `decode` makes of them.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "../patience.h"
#include "../transport/web/web_client.h"
#include "base/descriptor.h"
#include "program.h"
#include "texcast/file_writer.h"
#include "textures/block_pool.h"
#include "textures/compact_reception.h"
#include "textures/stream_format.h"
#include "transport/compact_packet.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/pcap.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;

namespace {

constexpr char kPictureChannel = 0, kSoundChannel = 1;

// A page that watches, until the stream ends.
class Page {
 public:
  explicit Page(uint16_t port) : client_(port) {
    REQUIRE(client_.upgrade().status == 101);
    client_.send_text(R"({"type":"hello","takes":["s3tc","rgtc","bptc","etc2","astc"]})");
    REQUIRE(json::parse(client_.read_text())["type"] == "welcome");
  }
  // Calls `on_datagram(channel, datagram)` for all that comes.
  void watch(const std::function<void(char, std::string)>& on_datagram) {
    for (;;) {
      const WebClient::Frame frame = client_.read_frame();
      if (frame.opcode == 0 || frame.opcode == 8) return;
      if (frame.opcode == 1) told_.push_back(json::parse(frame.payload));
      if (frame.opcode != 2) continue;
      REQUIRE(frame.payload.size() > 3);
      for (size_t at = 1; at < frame.payload.size();) {
        const size_t bytes =
            static_cast<uint8_t>(frame.payload[at]) + 256 * static_cast<uint8_t>(frame.payload[at + 1]);
        REQUIRE(at + 2 + bytes <= frame.payload.size());
        on_datagram(frame.payload[0], frame.payload.substr(at + 2, bytes));
        at += 2 + bytes;
      }
    }
  }
  void send_back(char channel, Bytes datagram) {
    std::string message{channel, static_cast<char>(datagram.size() & 0xFF), static_cast<char>(datagram.size() >> 8)};
    message.append(reinterpret_cast<const char*>(datagram.data()), datagram.size());
    client_.send_binary(message);
  }
  const std::vector<json>& told() const { return told_; }

 private:
  WebClient client_;
  std::vector<json> told_;
};

Bytes bytes_in(const std::string& text) { return std::as_bytes(std::span(text)); }

// The program runs while `meanwhile` does, which ends when the program has. `stop`: a file that ends the program when
// it appears; empty: it ends by itself.
Outcome serve(const std::string& arguments, uint16_t web_port, const std::string& also,
              const std::function<void()>& meanwhile, const std::string& stop = "") {
  Outcome outcome;
  std::string command = "serve " + arguments + " web://127.0.0.1:" + std::to_string(web_port) + " --json" + also;
  command = stop.empty() ? "texcast " + command
                         : "$program " + command + " &\nwhile [ ! -e '" + stop +
                               "' ]; do sleep 0.1; done\nkill -TERM $!\nwait $!";
  std::thread program([&] { outcome = shell(command); });
  // Until the server listens.
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < limit) {
    try {
      connect_to(web_port);
      break;
    } catch (const std::exception&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  std::exception_ptr failure;
  try {
    meanwhile();
  } catch (...) {
    failure = std::current_exception();
    if (!stop.empty()) write_file(stop, "");
  }
  program.join();
  if (failure) {
    MESSAGE("exit code ", outcome.exit_code, "\n", outcome.out, outcome.err);
    std::rethrow_exception(failure);
  }
  return outcome;
}

// The datagrams of a capture, by the port that they were sent to.
std::map<uint16_t, std::vector<std::string>> datagrams_of(const std::string& capture) {
  std::map<uint16_t, std::vector<std::string>> all;
  transport::PcapReader reader(capture);
  while (const auto datagram = reader.next())
    all[datagram->port].emplace_back(reinterpret_cast<const char*>(datagram->payload.data()), datagram->payload.size());
  return all;
}

// Those that came are a part of those that were sent, in the same order.
void check_passed(const std::vector<std::string>& came, const std::vector<std::string>& sent) {
  REQUIRE(!came.empty());
  const auto first = std::ranges::find(sent, came.front());
  REQUIRE(first != sent.end());
  REQUIRE(sent.end() - first >= static_cast<std::ptrdiff_t>(came.size()));
  CHECK(std::equal(came.begin(), came.end(), first));
  CHECK(sent.end() - first == static_cast<std::ptrdiff_t>(came.size()));  // to the end
}

// Stands between the sender and the receiver, and loses some of the stream's datagrams when they pass first.
class LossyWay {
 public:
  LossyWay(uint16_t from, uint16_t to, int one_in) : to_(to), one_in_(one_in) {
    near_ = bound(from);
    far_ = bound(0);
    thread_ = std::thread([this] { run(); });
  }
  ~LossyWay() {
    stop_ = true;
    thread_.join();
  }
  int lost() const { return lost_; }

 private:
  static sockaddr_in loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }
  static Descriptor bound(uint16_t port) {
    Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return socket;
  }
  void run() {
    std::array<pollfd, 2> polled{pollfd{near_.get(), POLLIN, 0}, pollfd{far_.get(), POLLIN, 0}};
    while (!stop_) {
      if (::poll(polled.data(), polled.size(), 20) <= 0) continue;
      if ((polled[0].revents & POLLIN) != 0) pass(near_, far_, true);
      if ((polled[1].revents & POLLIN) != 0) pass(far_, near_, false);
    }
  }
  void pass(const Descriptor& in, const Descriptor& out, bool is_forth) {
    std::array<char, 65536> bytes{};
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const ssize_t size =
        ::recvfrom(in.get(), bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
    if (size <= 0) return;
    if (is_forth) {
      sender_ = from;
      const std::string datagram(bytes.data(), static_cast<size_t>(size));
      if (++passing_ % one_in_ == 0 && lost_before_.insert(datagram).second) {
        ++lost_;
        return;
      }
    }
    const sockaddr_in to = is_forth ? loopback(to_) : sender_;
    ::sendto(out.get(), bytes.data(), static_cast<size_t>(size), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }

  const uint16_t to_;
  const int one_in_;
  Descriptor near_, far_;
  sockaddr_in sender_{};
  int passing_ = 0;
  std::set<std::string> lost_before_;
  std::atomic<int> lost_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// A receiver of the product behind a page: the textures of complete frames, by their time from the first.
class PageReceiver {
 public:
  void put(const std::string& datagram, Page& page) {
    session_.on_datagram(bytes_in(datagram), steady_now(), wall_now());
    while (const auto frame = session_.poll(steady_now(), wall_now())) take(*frame);
    while (const auto request = session_.poll_feedback(steady_now())) page.send_back(kPictureChannel, *request);
  }
  const std::vector<std::pair<nanoseconds, std::vector<std::byte>>>& frames() const { return frames_; }
  const std::optional<TextureDesc>& texture() const { return texture_; }

 private:
  void take(const transport::ReceivedFrame& frame) {
    const auto texture = stream::texture_of(frame.stream);
    REQUIRE(texture);
    texture_ = *texture;
    const size_t bytes = texture_layout(*texture).total_bytes;
    if (!frame.stream.compact()) {
      REQUIRE(frame.bytes.size() == bytes);
      if (frame.concealed_bytes == 0) keep(frame.times.pts, frame.bytes);
      return;
    }
    stream::FrameRef out = pool_.acquire(bytes);
    REQUIRE(out);
    out->desc = *texture;
    if (reception_.decode(frame, out) == 0u) keep(frame.times.pts, out->blocks.first(bytes));
  }
  void keep(nanoseconds pts, Bytes blocks) {
    if (!first_) first_ = pts;
    frames_.emplace_back(pts - *first_, std::vector<std::byte>(blocks.begin(), blocks.end()));
  }
  transport::ReceiveSession session_{{.request_lost = true}};
  stream::BlockPool pool_{24, size_t{1} << 28};
  stream::CompactReception reception_{1};
  std::optional<TextureDesc> texture_;
  std::optional<nanoseconds> first_;
  std::vector<std::pair<nanoseconds, std::vector<std::byte>>> frames_;
};

}  // namespace

TEST_CASE("serve passes a stream to a page, datagram by datagram, with its sound") {
  for (const std::string how : {"", " --plain"}) {
    CAPTURE(how);
    const Folder folder;
    const uint16_t port = free_port(), web = free_port();
    std::vector<std::string> picture, sound;
    const Outcome served = serve("127.0.0.1:" + std::to_string(port), web, " --timeout 3", [&] {
      Page page(web);
      Outcome sent;
      std::thread sender([&] {
        sent =
            shell("texcast send test rtp://127.0.0.1:" + std::to_string(port) + " 'pcap:" + folder.file("sent.pcap") +
                  "' --size 320x180 --fps 30 --frames 45 --audio-source test -q --retransmit off --device pocl" + how);
      });
      page.watch([&](char channel, std::string datagram) {
        (channel == kSoundChannel ? sound : picture).push_back(std::move(datagram));
      });
      sender.join();
      CHECK_MESSAGE(sent.exit_code == 0, sent.err);
      REQUIRE(page.told().size() >= 2);
      CHECK(page.told()[0]["variant"] == "bc1");
      CHECK(page.told().back()["type"] == "ended");
    });
    CHECK_MESSAGE(served.exit_code == 0, served.err);
    auto sent = datagrams_of(folder.file("sent.pcap"));
    check_passed(picture, sent[transport::kDefaultPort]);
    check_passed(sound, sent[transport::kDefaultPort + transport::kAudioPortOffset]);
    const json report = json::parse(served.out);
    CHECK(report["frames_in"] == 45);
    CHECK(report["packets"]["lost"] == 0);
    CHECK(report["most_viewers"] == 1);
  }
}

TEST_CASE("what is lost on the way to serve is repaired before the page gets it") {
  const Folder folder;
  const uint16_t from = free_port(), port = free_port(), web = free_port();
  std::set<std::string> came;
  int lost = 0;
  const Outcome served = serve("127.0.0.1:" + std::to_string(port), web, " --timeout 3", [&] {
    Page page(web);
    Outcome sent;
    std::thread sender([&] {
      const LossyWay way(from, port, 20);
      sent = shell("texcast send test rtp://127.0.0.1:" + std::to_string(from) + " 'pcap:" + folder.file("sent.pcap") +
                   "' --size 640x360 --fps 25 --frames 60 --audio none -q --fec none --device pocl --plain");
      lost = way.lost();
    });
    page.watch([&](char, std::string datagram) { came.insert(std::move(datagram)); });
    sender.join();
    CHECK_MESSAGE(sent.exit_code == 0, sent.err);
  });
  CHECK_MESSAGE(served.exit_code == 0, served.err);
  REQUIRE(lost > 20);
  // Nearly all: the page joins within the first frames, and the last packet of the stream may be lost.
  auto sent = datagrams_of(folder.file("sent.pcap"));
  size_t missing = 0, after_first = 0;
  bool begun = false;
  for (const std::string& datagram : sent[transport::kDefaultPort]) {
    begun = begun || came.contains(datagram);
    if (!begun) continue;
    ++after_first;
    if (!came.contains(datagram)) ++missing;
  }
  const json report = json::parse(served.out);
  CHECK(report["packets"]["recovered_by_retransmission"].get<int>() > lost / 2);
  CHECK(after_first > 1000);
  CHECK(missing < static_cast<size_t>(lost) / 2);
}

TEST_CASE("a recording that is served is the one that decode shows") {
  struct Row {
    const char* file;
    const char* encode;
  };
  for (const Row& row : {Row{"hap.mov", "--format ycocg-bc4"}, Row{"coded.mkv", "--coding compact"},
                         Row{"lossy.mkv", "--coding compact --crf 23"}, Row{"bc7.mov", "--format bc7"},
                         Row{"one.ktx2", "--format bc7 --frames 1"}}) {
    CAPTURE(row.file);
    const Folder folder;
    const std::string cd = "cd '" + folder.file("") + "'\n";
    const bool is_still = std::string(row.file) == "one.ktx2";
    REQUIRE(
        shell(cd + "texcast encode lavfi:testsrc2=s=200x104:r=25:d=2 " + row.file + " -q --device pocl " + row.encode)
            .exit_code == 0);
    const uint16_t web = free_port();
    PageReceiver receiver;
    const auto watch = [&] {
      Page page(web);
      page.watch([&](char channel, const std::string& datagram) {
        if (channel == kPictureChannel) receiver.put(datagram, page);
        if (is_still && !receiver.frames().empty()) write_file(folder.file("stop"), "");
      });
    };
    // A still is a stream without an end.
    const Outcome served =
        serve("'" + folder.file(row.file) + "'", web, "", watch, is_still ? folder.file("stop") : "");
    CHECK_MESSAGE(served.exit_code == (is_still ? 143 : 0), served.err);
    REQUIRE(receiver.texture());
    REQUIRE(!receiver.frames().empty());
    if (!is_still) CHECK(receiver.frames().size() > 25);  // of 50, also on a machine that is busy

    // The frames that came are written to files, which decode to the pictures of the recording.
    std::set<size_t> numbers;
    for (size_t i = 0; i < receiver.frames().size(); ++i) {
      const auto& [time, blocks] = receiver.frames()[i];
      const auto number =
          is_still ? 0 : static_cast<size_t>((time + std::chrono::milliseconds(20)) / std::chrono::milliseconds(40));
      if (!numbers.insert(number).second) continue;
      char name[32];
      std::snprintf(name, sizeof name, "came_%05zu.ktx2", number);
      FileWriter writer({.path = folder.file(name), .texture = *receiver.texture(), .fps = 25});
      writer.write({.desc = *receiver.texture(), .blocks = blocks}, {});
      writer.finish();
    }
    REQUIRE(shell(cd + "texcast decode " + row.file + " all_%05d.ppm -q").exit_code == 0);
    for (const size_t number : numbers) {
      char came[32], own[32];
      std::snprintf(came, sizeof came, "came_%05zu", number);
      std::snprintf(own, sizeof own, "all_%05zu.ppm", number);
      REQUIRE(shell(cd + "texcast decode " + came + ".ktx2 " + came + ".ppm -q").exit_code == 0);
      const std::string expected = read_file(folder.file(own));
      CAPTURE(number);
      REQUIRE(!expected.empty());
      CHECK(read_file(folder.file(std::string(came) + ".ppm")) == expected);
    }
  }
}

TEST_CASE("serve says what is wrong, and what to do") {
  const Folder folder;
  const auto refused = [&](const std::string& arguments, int exit_code, const std::string& words) {
    CAPTURE(arguments);
    const Outcome outcome = shell("cd '" + folder.file("") + "'\ntexcast serve " + arguments);
    CHECK(outcome.exit_code == exit_code);
    CHECK_MESSAGE(outcome.err.find(words) != std::string::npos, outcome.err);
  };
  refused("test web://:8080", 2, "texcast send test web://:8080");
  refused("a.mov b.mov web://:8080", 2, "run `texcast serve` for each");
  refused(":5004 rtp://192.0.2.1", 2, "web://:8080");
  refused("web://:8080 :5004", 2, "before it");
  refused(":5004 web://:8080 --loop", 2, "--loop is for texture files");
  refused("none.mov web://127.0.0.1:0", 5, "none.mov");
  refused("'" + data("clip.mp4") + "' web://:8080", 5, "texcast send " + data("clip.mp4") + " web://:8080");
  refused(":5004 web://127.0.0.1:x", 2, "web://127.0.0.1:x");
}

TEST_CASE("an encrypted stream is served decrypted with its key, and without it serve says what to do") {
  const Folder folder;
  write_file(folder.file("key"), "a passphrase\n");
  std::filesystem::permissions(folder.file("key"), std::filesystem::perms::owner_read);
  const std::string capture = "pcap:" + folder.file("sealed.pcap");
  REQUIRE(shell("texcast send test '" + capture + "' --size 64x64 --fps 25 --frames 50 -q --device pocl --key-file '" +
                folder.file("key") + "'")
              .exit_code == 0);
  const uint16_t web = free_port();
  const Outcome without = shell("texcast serve '" + capture + "' web://127.0.0.1:" + std::to_string(web));
  CHECK(without.exit_code != 0);
  CHECK_MESSAGE(without.err.find("--key-file FILE") != std::string::npos, without.err);

  std::vector<std::string> came;
  const Outcome with = serve("'" + capture + "'", web, " --key-file '" + folder.file("key") + "'", [&] {
    Page page(web);
    page.watch([&](char channel, std::string datagram) {
      if (channel == kPictureChannel) came.push_back(std::move(datagram));
    });
  });
  CHECK_MESSAGE(with.exit_code == 0, with.err);
  CHECK(with.err.find("it is decrypted here") != std::string::npos);
  CHECK(json::parse(with.out)["decrypted"] == true);
  REQUIRE(!came.empty());
  for (const std::string& datagram : came) CHECK(datagram.starts_with("TC\x01"));  // no envelope
}
