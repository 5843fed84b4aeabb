// What is said of a stream that comes in.
#include "stream/receive_texts.h"

#include <doctest/doctest.h>

#include "log_lines.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

TEST_CASE("what is said of a takeover tells a sender that was started again from another one") {
  const auto peer = [](uint8_t last, uint16_t port) {
    return transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}},
                                           port);
  };
  const transport::SelectedSender before{.count = 1, .from = peer(1, 5000)};
  CHECK(takeover_text(before, {.count = 2, .from = peer(1, 6000), .silence = 3s}) ==
        "the sender goes on from another port, or was started again: 10.0.0.1:6000 after 10.0.0.1:5000, silent for 3.0 "
        "s");
  CHECK(takeover_text(before, {.count = 2, .from = peer(2, 6000), .returned = true}) ==
        "the sender that was shown before is back: 10.0.0.2:6000, instead of 10.0.0.1:5000");
  CHECK(takeover_text(before, {.count = 2, .from = peer(2, 6000), .displaced = true}) ==
        "another sender is shown now: 10.0.0.2:6000; it began later than 10.0.0.1:5000");
}

TEST_CASE("a takeover is news for the screen, once") {
  PictureSender picture;
  ReceptionLog log(picture);
  CHECK_FALSE(log.news());
  const auto peer = [](std::byte last) {
    return transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, last}, 5000);
  };
  log.on_takeover({.count = 1, .from = peer(std::byte{1})}, {.count = 2, .from = peer(std::byte{2}), .silence = 1s});
  CHECK(log.news() == "another sender is shown now: 10.0.0.2:5000; 10.0.0.1:5000 was silent for 1.0 s");
  CHECK_FALSE(log.news());
}

TEST_CASE("senders that take over by the thousand, and packets that are refused, fill no log") {
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
  CHECK(lines.count() <= 20);  // five of each kind, and one a minute on a machine that hardly runs
  CHECK(log.news());
}
