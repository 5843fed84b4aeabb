// Messages about an incoming stream.
#include "stream/receive_texts.h"

#include <doctest/doctest.h>

#include "log_lines.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

TEST_CASE("the message about a new sender distinguishes a restarted sender from another one") {
  const auto peer = [](uint8_t last, uint16_t port) {
    return transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}},
                                           port);
  };
  const transport::SelectedSender before{.count = 1, .from = peer(1, 5000)};
  CHECK(takeover_text(before, {.count = 2, .from = peer(1, 6000), .silence = 3s}) ==
        "the sender has changed its port or restarted: 10.0.0.1:6000 after 10.0.0.1:5000, silent for 3.0 s");
  CHECK(takeover_text(before, {.count = 2, .from = peer(2, 6000), .returned = true}) ==
        "switched back to sender 10.0.0.2:6000 from 10.0.0.1:5000");
  CHECK(takeover_text(before, {.count = 2, .from = peer(2, 6000), .displaced = true}) ==
        "switched to sender 10.0.0.2:6000, which started later than 10.0.0.1:5000");
}

TEST_CASE("a new sender is shown once on the screen") {
  PictureSender picture;
  ReceptionLog log(picture);
  CHECK_FALSE(log.news());
  const auto peer = [](std::byte last) {
    return transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, last}, 5000);
  };
  log.on_takeover({.count = 1, .from = peer(std::byte{1})}, {.count = 2, .from = peer(std::byte{2}), .silence = 1s});
  CHECK(log.news() == "switched to sender 10.0.0.2:5000; 10.0.0.1:5000 was silent for 1.0 s");
  CHECK_FALSE(log.news());
}

TEST_CASE("thousands of new senders and rejected packets do not fill the log") {
  const test::LogLines lines;
  PictureSender picture;
  ReceptionLog log(picture);
  for (int n = 0; n < 4000; ++n) {
    const auto last = static_cast<std::byte>(n);
    const auto peer =
        transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, last}, 5000);
    log.on_takeover({.count = 1, .from = peer}, {.count = 2, .from = peer, .silence = 1s});
    log.on_refused(n % 2 == 0 ? transport::Refusal::wrong_key : transport::Refusal::in_the_clear);
  }
  CHECK(lines.count() >= 2);
  CHECK(lines.count() <= 20);  // five of each kind, and one per minute on a very slow machine
  CHECK(log.news());
}
