// Packets of strangers, and the first recording on a machine: neither ends a recording nor loses a frame, and no packet
// causes a file or a log line of its own.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../comes_true.h"
#include "base/descriptor.h"
#include "control/client.h"
#include "program.h"
#include "texcast/error.h"
#include "textures/stream_format.h"
#include "transport/plain_packetizer.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

void wait_until(const std::function<bool()>& is_so) { REQUIRE(comes_true(is_so)); }

// Sends complete frames of any description, each in one datagram, from an address of this machine.
class Sender {
 public:
  Sender(const std::string& address, uint16_t port, uint32_t ssrc)
      : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
        numbers_(
            std::make_shared<transport::RtpNumbering>(transport::RtpNumbering::Settings{.ssrc = ssrc, .fps = 50})) {
    REQUIRE(socket_.valid());
    const sockaddr_in from = place(address, 0), to = place("127.0.0.1", port);
    REQUIRE(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0);
    REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  void send(const TextureDesc& texture) {
    transport::PlainPacketizer packetizer({.stream = stream::stream_of(texture, 50), .numbers = numbers_});
    const std::vector<std::byte> blocks(texture_layout(texture).total_bytes, static_cast<std::byte>(sent_));
    const auto packets = packetizer.packetize(blocks, {.pts = sent_++ * kPeriod});
    REQUIRE(packets.size() == 1);
    std::vector<std::byte> datagram(packets[0].header.begin(), packets[0].header.end());
    datagram.insert(datagram.end(), packets[0].payload.begin(), packets[0].payload.end());
    ::send(socket_.get(), datagram.data(), datagram.size(), 0);
  }
  // At the frame rate of the stream: a recording does not have to keep faster ones.
  void send_paced(const TextureDesc& texture) {
    send(texture);
    std::this_thread::sleep_for(kPeriod);
  }
  int sent() const { return sent_; }

 private:
  static constexpr auto kPeriod = 20ms;
  static sockaddr_in place(const std::string& address, uint16_t port) {
    sockaddr_in ipv4{};
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(port);
    REQUIRE(::inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr) == 1);
    return ipv4;
  }
  const Descriptor socket_;
  const std::shared_ptr<transport::RtpNumbering> numbers_;
  int sent_ = 0;
};

// `texcast receive` with --control.
class Receiver {
 public:
  Receiver(const std::string& output, uint16_t port)
      : outcome_(std::async(std::launch::async, [this, output, port] {
          return shell("cd '" + folder_.file("") + "'\ntexcast receive rtp://127.0.0.1:" + std::to_string(port) + " " +
                       output + " --json --control control > report");
        })) {
    wait_until([this] {
      try {
        client_ = std::make_unique<control::Client>(folder_.file("control"));
      } catch (const Error&) {  // not yet
      }
      return client_ != nullptr;
    });
    REQUIRE(client_);
  }
  const Folder& folder() const { return folder_; }
  uint64_t count(const std::string& group, const std::string& name) {
    const control::Message answer = client_->ask({"get", "statistics"});
    return json::parse(answer.data_json)[group].value(name, uint64_t{});
  }
  // Calls `act` repeatedly until the counter has that value.
  void until(const std::string& group, const std::string& name, uint64_t count_wanted,
             const std::function<void()>& act) {
    wait_until([&] {
      act();
      return count(group, name) >= count_wanted;
    });
    CHECK(count(group, name) >= count_wanted);
  }
  // Sends a frame and waits until it is there, so that a pause of the receiver makes no burst, for a second at most.
  void send_to(Sender& sender, const TextureDesc& texture) {
    const uint64_t before = count("frames", "in");
    sender.send_paced(texture);
    for (int n = 0; n < 50 && count("frames", "in") == before; ++n) std::this_thread::sleep_for(20ms);
  }
  Outcome end() {
    client_->ask({"quit"});
    return outcome_.get();
  }
  json report() const { return json::parse(read_file(folder_.file("report"))); }

 private:
  const Folder folder_;
  std::unique_ptr<control::Client> client_;
  std::future<Outcome> outcome_;
};

int64_t lines_in(const std::string& text) { return std::ranges::count(text, '\n'); }

const TextureDesc kGenuine{.format = TextureFormat::bc1, .width = 32, .height = 32};
const TextureDesc kNotInMov{.format = TextureFormat::bc5, .width = 4, .height = 4};

}  // namespace

TEST_CASE(
    "strangers' packets neither end an idle recording nor make files and lines, and the stream after them is "
    "recorded") {
  const uint16_t port = free_port();
  Receiver receiver("show.mov", port);
  Sender stranger("127.0.0.2", port, 0xBAD);
  receiver.until("dropped", "passed_over", 1, [&] { stranger.send(kNotInMov); });
  receiver.until("frames", "in", 1500, [&] {
    for (int n = 0; n < 16; ++n) stranger.send({.width = n % 2 == 0 ? 4 : 8, .height = n % 2 == 0 ? 4 : 8});
  });
  Sender genuine("127.0.0.1", port, 0x600D);
  receiver.until("frames", "in", receiver.count("frames", "in") + 60, [&] { receiver.send_to(genuine, kGenuine); });
  const Outcome ended = receiver.end();
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  CHECK(lines_in(ended.err) < 30);
  const json report = receiver.report();
  const std::vector<std::string> files = report["recording"]["files"];
  CHECK(files.size() <= 3);
  REQUIRE(!files.empty());
  const Outcome info = shell("cd '" + receiver.folder().file("") + "'\ntexcast info " + files.back() + " --json");
  CHECK(json::parse(info.out)["width"] == 32);
  CHECK(json::parse(info.out)["frames"] >= 30);
}

TEST_CASE(
    "a stranger in a pause of the sender, with what the file cannot hold: its recording goes on in the same file") {
  const uint16_t port = free_port();
  Receiver receiver("show.mov", port);
  Sender genuine("127.0.0.1", port, 0x600D), stranger("127.0.0.2", port, 0xBAD);
  const auto send = [&] { receiver.send_to(genuine, kGenuine); };
  receiver.until("frames", "in", 30, send);
  receiver.until("dropped", "passed_over", 8, [&] { stranger.send(kNotInMov); });
  receiver.until("frames", "in", 30 + receiver.count("frames", "in"), send);
  const Outcome ended = receiver.end();
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  CHECK(ended.err.find("bc5 of 4x4 cannot be stored in .mov") != std::string::npos);
  CHECK(lines_in(ended.err) < 30);
  const json report = receiver.report(), recording = report["recording"];
  CHECK(recording["files"] == json({"show.mov"}));
  CHECK(recording["frames"] >= 60);
  CHECK(recording["frames"].get<int>() + recording["passed_over"]["cannot_hold"].get<int>() == report["frames_in"]);
  CHECK(shell("cd '" + receiver.folder().file("") + "'\ntexcast verify show.mov").exit_code == 0);
}

TEST_CASE(
    "a stream that the file cannot hold, and nothing else: its end says what to do, a user who ends it has seen") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  REQUIRE(shell(cd + "texcast send test pcap:a.pcap --size 64x64 --frames 5 --format bc5 --device cpu-reference")
              .exit_code == 0);
  for (const std::string command : {"receive pcap:a.pcap show.mov", "play pcap:a.pcap --no-window --record show.mov"}) {
    const Outcome run = shell(cd + "texcast " + command + " && ls");
    CHECK(run.exit_code == 2);
    CHECK(run.err.find("'show.mov': bc5 of 64x64 cannot be stored in .mov; record it to .dds") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("show.mov")));
  }
  const uint16_t port = free_port();
  Receiver receiver("show.mov", port);
  Sender stranger("127.0.0.2", port, 0xBAD);
  receiver.until("dropped", "passed_over", 1, [&] { stranger.send(kNotInMov); });
  CHECK(receiver.end().exit_code == 0);
}

TEST_CASE("a first recording keeps every received frame, whatever has to be compiled") {
  for (const std::string command :
       {"receive rtp://ADDRESS show.mov", "play rtp://ADDRESS --no-window --record show.mov"}) {
    CAPTURE(command);
    const Folder folder;
    const std::string address = "127.0.0.1:" + std::to_string(free_port());
    std::string receive = command;
    receive.replace(receive.find("ADDRESS"), 7, address);
    // Packets that the receiver has not read when it ends are lost; a busy sender drops frames.
    const Outcome run =
        shell("cd '" + folder.file("") + "'\nmkdir home\nunset XDG_CACHE_HOME POCL_CACHE_DIR POCL_EXTRA_BUILD_FLAGS\n" +
              "HOME=$PWD/home \"$program\" " + receive + " --json --control r > report 2> said &\n" +
              "until texcast ctl r get source > /dev/null 2>&1; do sleep 0.05; done\n" + "texcast send test rtp://" +
              address +
              " --size 256x128 --fps 60 --frames 240 --format ycocg-bc4 --device cpu-reference --json > sent\n"
              "frames=$(grep -o '\"frames_sent\": *[0-9]*' sent | grep -o '[0-9]*$')\n"
              "until texcast ctl r get statistics | grep -q '\"in\": *'$frames'\\b'; do sleep 0.05; done\n"
              "texcast ctl r quit; wait %1; echo ended $?\ntexcast verify show.mov > /dev/null; echo whole $?\n");
    const std::string said = read_file(folder.file("said"));
    INFO(run.err << said);
    CHECK(run.out == "ended 0\nwhole 0\n");
    if (said.find("compiling for") == std::string::npos) MESSAGE("SKIP: no kernel was compiled here");
    const json report = json::parse(read_file(folder.file("report")));
    CHECK(report["frames_in"] > 60);
    CHECK(report["recording"]["frames"] == report["frames_in"]);
    CHECK_FALSE(report["recording"].contains("missing"));
  }
}
