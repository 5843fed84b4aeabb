// `texcast send INPUT web://…`: what it says, what it refuses, and a browser that watches.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../patience.h"
#include "../transport/web/web_client.h"
#include "control/client.h"
#include "program.h"
#include "texcast/error.h"
#include "texcast/frame_times.h"
#include "transport/receive_session.h"
#include "transport/rtcp.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const std::string kCheap = " --size 64x64 --device cpu-reference";

void check_refused(const std::string& words, const std::string& part, int code = 2) {
  CAPTURE(words);
  const Folder folder;
  write_file(folder.file("key"), "correct horse\n");
  const Outcome outcome =
      shell("cd '" + folder.file("") + "'\nchmod 600 key\ntexcast send test " + words + kCheap + " --frames 1");
  INFO(outcome.err);
  CHECK(outcome.exit_code == code);
  CHECK(outcome.err.find(part) != std::string::npos);
}

std::string invitation(const std::string& err) {
  const std::string before = "watch in a browser at ";
  const size_t at = err.find(before);
  return at == std::string::npos
             ? ""
             : err.substr(at + before.size(), err.find_first_of("\n;\033", at) - at - before.size());
}

// Waits for the address on loopback that a sender whose messages go to this file prints, and returns its port.
uint16_t invited_port(const std::string& err_file) {
  std::string url;
  const SteadyTime limit = steady_now() + kPatience;
  while (url.empty() && steady_now() < limit) {
    std::this_thread::sleep_for(5ms);
    if (std::filesystem::exists(err_file)) url = invitation(read_file(err_file));
  }
  REQUIRE(url.starts_with("http://127.0.0.1:"));
  return static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

void say_hello(WebClient& browser) {
  REQUIRE(browser.upgrade().status == 101);
  browser.send_text(R"({"type":"hello","takes":["s3tc"]})");
}

}  // namespace

TEST_CASE("send refuses addresses for browsers that are none, and what browsers cannot show") {
  check_refused("web://:99999", "the port must be a number");
  check_refused("web://::1:8080", "brackets");
  check_refused("web://studio/page", "more than a host and a port");
  check_refused("web://127.0.0.1:0 --for ultragrid", "--for ultragrid excludes web://");
  check_refused("web://127.0.0.1:0 --plain --fec ultragrid-rs:200:240", "excludes web://");
  check_refused("web://127.0.0.1:0 --plain --key-file key --crypto ultragrid-gcm", "excludes web://");
  check_refused("web://:0 --key-file key", "--web-cert self-signed");
  check_refused("web://127.0.0.1:0 --web-cert missing.pem", "missing.pem", 5);
}

TEST_CASE("options for browsers without a web:// address are errors, and so are those that contradict each other") {
  for (const std::string option :
       {"--web-password key", "--web-links 2", "--web-viewers 5", "--web-cert key", "--web-key key"})
    check_refused("127.0.0.1:9 " + option, option.substr(0, option.find(' ')) + " is for browsers");
  check_refused("web://127.0.0.1:0 --web-key key", "--web-key is the key of a certificate");
  check_refused("web://127.0.0.1:0 --web-cert self-signed --web-key key", "leave out --web-key");
  check_refused("web://127.0.0.1:0 --web-links 0", "give 1 to 1000");
  check_refused("web://127.0.0.1:0 --web-viewers x", "give 1 to 10000");
}

TEST_CASE("send says who has the port, and which one is free") {
  const Folder folder;
  const Outcome outcome = shell("cd '" + folder.file("") + "'\n$program send test web://127.0.0.1:0 --loop" + kCheap +
                                " 2> first &\nuntil grep -q 'watch in' first; do sleep 0.02; done\n"
                                "port=$(sed -n 's,.*http://127.0.0.1:\\([0-9]*\\)/.*,\\1,p' first)\n"
                                "texcast send test web://127.0.0.1:$port --frames 1" +
                                kCheap + "\nended=$?\nkill -INT %1\nexit $ended");
  INFO(outcome.err);
  CHECK(outcome.exit_code == 6);
  CHECK(outcome.err.find(" (process ") != std::string::npos);
  CHECK(outcome.err.find("give another port, as web://127.0.0.1:") != std::string::npos);
}

TEST_CASE(
    "send prints the address, one-time links even if quiet, and what nobody watched; no QR code but on a terminal") {
  const Folder folder;
  const Outcome outcome = run("texcast send test web://127.0.0.1:0 --json --frames 3" + kCheap, folder);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(invitation(outcome.err).starts_with("http://127.0.0.1:"));
  CHECK(outcome.err.find("\xE2\x96\x88") == std::string::npos);
  CHECK(outcome.complaints().empty());
  const json report = json::parse(outcome.out);
  CHECK(report["destinations"] == json({"web://127.0.0.1:0"}));
  CHECK(report["frames_in"] == 3);
  CHECK(report["frames_unwatched"] == 3);
  CHECK(report["frames_sent"] == 0);
  CHECK(report["viewers"] == json::array());

  const Outcome quiet = run("texcast send test web://127.0.0.1:0 -q --web-links 2 --frames 1" + kCheap, folder);
  CHECK(invitation(quiet.err).empty());
  size_t links = 0;
  for (size_t at = 0; (at = quiet.err.find("/#link=", at)) != std::string::npos; ++at) ++links;
  CHECK(links == 2);

  const Outcome open = run("texcast send test web://:0 --frames 1" + kCheap, folder);
  CHECK(open.err.find("anybody on this network can watch") != std::string::npos);
  const Outcome addressed = run("texcast send test 127.0.0.1:9 --json --frames 1" + kCheap, folder);
  CHECK_FALSE(json::parse(addressed.out).contains("viewers"));
}

TEST_CASE("a browser watches a sealed stream that it gets unsealed, and web destinations come and go by ctl") {
  const Folder folder;
  write_file(folder.file("key"), "correct horse\n");
  auto sending = std::async(std::launch::async, [&] {
    return shell("cd '" + folder.file("") +
                 "'\nchmod 600 key\nexec $program send test web://127.0.0.1:0 --key-file key "
                 "--control control --json --audio-source test" +
                 kCheap + " 2> err");
  });
  INFO(read_file(folder.file("err")));
  WebClient browser(invited_port(folder.file("err")));
  say_hello(browser);
  json welcome = json::parse(browser.read_text());
  CHECK(welcome["type"] == "welcome");
  CHECK(welcome["variant"] == "bc1");
  CHECK(welcome["sealed"] == true);

  transport::ReceiveSession session;  // without a key
  size_t whole = 0, sounds = 0;
  while (whole < 3 || sounds < 3) {
    const WebClient::Frame message = browser.read_frame();
    REQUIRE(message.opcode != 0);
    if (message.opcode != 2) continue;  // the offer has changed
    const Bytes bytes = std::as_bytes(std::span(message.payload));
    for (size_t at = 1; at < bytes.size();) {
      const Bytes datagram = bytes.subspan(at + 2, load_u8(bytes, at) + 256U * load_u8(bytes, at + 1));
      at += 2 + datagram.size();
      if (bytes[0] == std::byte{1})
        ++sounds;
      else if (!transport::parse_rtcp(datagram))
        session.on_datagram(datagram, steady_now(), wall_now());
    }
    while (const auto frame = session.poll(steady_now(), wall_now())) whole += frame->payloads_missing == 0;
  }
  control::Client ctl(folder.file("control"));
  CHECK(ctl.ask({"destination", "remove", "web://127.0.0.1:0"}).error.find("only address") != std::string::npos);
  CHECK(ctl.ask({"destination", "add", "rtp://127.0.0.1:9"}).error == "");
  CHECK(ctl.ask({"destination", "remove", "web://127.0.0.1:0"}).error == "");
  browser.read_close();  // fails if the server stays
  ctl.ask({"quit"});
  const Outcome ended = sending.get();
  CHECK(ended.exit_code == 0);
  CHECK(json::parse(ended.out)["frames_sent"] >= 3);
  CHECK(read_file(folder.file("err")).find("browsers get the stream decrypted") != std::string::npos);
}

TEST_CASE("an interrupt tells viewers that the stream has ended") {
  const Folder folder;
  auto sending = std::async(std::launch::async, [&] {
    return shell("cd '" + folder.file("") + "'\n$program send test web://127.0.0.1:0 --loop" + kCheap +
                 " 2> err &\nuntil [ -e watched ]; do sleep 0.02; done\nkill -INT $!\nwait $!\n");
  });
  WebClient browser(invited_port(folder.file("err")));
  say_hello(browser);
  WebClient::Frame message = browser.read_frame();
  while (message.opcode == 1) message = browser.read_frame();
  REQUIRE(message.opcode == 2);
  write_file(folder.file("watched"), "");
  while (message.opcode == 2) message = browser.read_frame();
  REQUIRE(message.opcode == 1);
  CHECK(json::parse(message.payload)["type"] == "ended");
  CHECK(browser.read_close() == 4009);
  sending.get();
}
