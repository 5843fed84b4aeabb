// The bytes of repairs that receivers may cause, counted in simulated frames.
#include "stream/repair_shares.h"

#include <doctest/doctest.h>

#include <array>

using namespace texcast;
using stream::RepairShares;

namespace {

constexpr size_t kPlain = 1'000'000;
constexpr double kRepair = 100'000;  // for one request
constexpr double kUsual = 200;       // per frame: hardly anything happens

transport::PeerAddress receiver_at(uint32_t number, uint16_t port = 5004) {
  const auto byte = [&](int at) { return static_cast<std::byte>(number >> (8 * at)); };
  return transport::PeerAddress::of_ipv4(std::array{std::byte{10}, byte(2), byte(1), byte(0)}, port);
}

// Every accepted request causes a repair in the same frame.
double repairs_of(RepairShares& shares, const auto& asker, int frames) {
  double sent = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const double repairs = shares.hears(asker(frame)) ? kRepair : 0;
    shares.coded({.repairs = repairs, .usual = kUsual}, 1);
    sent += repairs;
  }
  return sent;
}

double share_of(int frames) {
  return frames * (compact::RefreshBudget::kShare * kUsual + RepairShares::kShareOfPlain * static_cast<double>(kPlain));
}

}  // namespace

TEST_CASE("a receiver that sends a request with every frame gets a whole picture at once, then its share") {
  constexpr int kFrames = 60 * 600;
  RepairShares shares(kPlain);
  const double sent = repairs_of(
      shares, [](int) { return receiver_at(1); }, kFrames);
  CHECK(sent <= kPlain + share_of(kFrames) + kRepair);
  CHECK(sent >= kPlain + share_of(kFrames) - kRepair);
}

TEST_CASE("a host has one share, whatever the number of its ports") {
  constexpr int kFrames = 60 * 100;
  RepairShares shares(kPlain);
  const auto many_ports = [](int frame) { return receiver_at(1, static_cast<uint16_t>(1024 + frame)); };
  CHECK(repairs_of(shares, many_ports, kFrames) <= kPlain + share_of(kFrames) + kRepair);
}

TEST_CASE("forged hosts get no more than eight real ones") {
  constexpr int kFrames = 60 * 100;
  RepairShares shares(kPlain);
  const auto forged = [](int frame) { return receiver_at(static_cast<uint32_t>(frame)); };
  CHECK(repairs_of(shares, forged, kFrames) <= RepairShares::kMostReceivers * (kPlain + share_of(kFrames) + kRepair));
}

TEST_CASE("a receiver with too many requests keeps nobody else from being heard") {
  RepairShares shares(kPlain);
  repairs_of(
      shares, [](int) { return receiver_at(1); }, 600);
  REQUIRE_FALSE(shares.hears(receiver_at(1)));
  for (int frame = 0; frame < 9; ++frame) {
    shares.hears(receiver_at(1));
    CHECK(shares.hears(receiver_at(2)));
    shares.coded({.repairs = kRepair, .usual = kUsual}, 1);
  }
}

TEST_CASE("repairs are charged in equal parts to those that requested them since the last, and to nobody else") {
  RepairShares shares(kPlain);
  REQUIRE(shares.hears(receiver_at(3)));
  shares.coded({.repairs = 0, .usual = 0}, 1);  // none yet: its request waits for a repair
  for (int asks = 0; asks < 2; ++asks) {
    REQUIRE(shares.hears(receiver_at(1)));
    REQUIRE(shares.hears(receiver_at(2)));
    shares.coded({.repairs = kPlain, .usual = 0}, 1);
  }
  // A third of a picture and a half of one.
  CHECK(shares.hears(receiver_at(1)));
  CHECK(shares.hears(receiver_at(3)));
  shares.coded({.repairs = kPlain, .usual = 0}, 1);
  CHECK_FALSE(shares.hears(receiver_at(1)));
  CHECK(shares.hears(receiver_at(2)));
  CHECK(shares.hears(receiver_at(3)));
}
