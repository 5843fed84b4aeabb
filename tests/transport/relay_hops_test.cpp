// A relay between a sender and receivers, in simulated time: losses before and behind it are repaired hop by hop, and
// what reaches the sender is bounded.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

#include "relay_chain.h"
#include "secret_keys.h"
#include "transport/burst_limit.h"
#include "transport/keyless_passage.h"
#include "transport/rtcp_summary.h"
#include "transport/sealed_feedback.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

std::shared_ptr<const WireKeys> chain_keys() { return WireKeys::of({std::byte{1}}, {std::byte{2}}); }

std::string figures(const ChainOutcome& o) {
  return fmt::format(
      "{} sent, {} lost before the relay, {} again by the sender, {} answered by the relay, {} restored, {} passed; "
      "feedback: {} of receivers, {} to the sender; first receiver: {} whole, {} wrong of {}",
      o.sent, o.lost_in, o.sent_again, o.answered, o.restored, o.passed, o.feedback_of_receivers, o.feedback_to_sender,
      o.receivers[0].whole, o.receivers[0].wrong, o.receivers[0].shown);
}

// Everything arrived, and was right.
void check_whole(const ChainOutcome& o, int frames) {
  for (size_t i = 0; i < o.receivers.size(); ++i) {
    CAPTURE(i);
    CHECK(o.receivers[i].whole == frames);
    CHECK(o.receivers[i].wrong == 0);
  }
}

}  // namespace

TEST_CASE("hops: losses of 1 and 5 % before and behind the relay are repaired hop by hop") {
  for (const bool coded : {true, false})
    for (const double loss : {0.01, 0.05})
      for (const double parity : {0.0, 10.0}) {
        CAPTURE(coded);
        CAPTURE(loss);
        CAPTURE(parity);
        const ChainOutcome o =
            RelayChain({.receivers = 3, .loss_in = loss, .loss_out = loss, .coded = coded, .parity_percent = parity})
                .run();
        INFO(figures(o));
        check_whole(o, 40);
        CHECK_FALSE(o.relay_changed_bytes);
        CHECK(o.lost_in > 0);
        if (parity == 0) {
          CHECK(o.answered > 0);
          CHECK(o.sent_again > 0);
        } else {
          CHECK(o.restored > 0);
        }
      }
}

TEST_CASE("hops: what 50 receivers send back reaches the sender as the feedback of one") {
  const ChainOutcome o =
      RelayChain({.frames = 30, .receivers = 50, .loss_in = 0.01, .loss_out = 0.05, .parity_percent = 0}).run();
  INFO(figures(o));
  for (const auto& receiver : o.receivers) {
    CHECK(receiver.whole >= 29);  // nothing tells that the very last packet was lost
    CHECK(receiver.wrong == 0);
  }
  CHECK(o.feedback_of_receivers > 200);
  CHECK(o.feedback_to_sender < 40);  // the relay's own NACKs
  CHECK(o.sent_again < 2 * o.lost_in + 10);
}

TEST_CASE("hops: a relay with the key passes envelopes as they are and repairs both hops") {
  const ChainOutcome o =
      RelayChain({.receivers = 3, .loss_in = 0.05, .loss_out = 0.05, .keys = chain_keys(), .relay_has_key = true})
          .run();
  INFO(figures(o));
  check_whole(o, 40);
  CHECK_FALSE(o.relay_changed_bytes);
  CHECK(o.answered > 0);
  for (const auto& receiver : o.receivers) CHECK(receiver.counters.malformed == 0);
}

TEST_CASE("hops: without the key envelopes pass, parity repairs, and NACKs of receivers reach the sender, limited") {
  for (const size_t receivers : {size_t{2}, size_t{50}}) {
    CAPTURE(receivers);
    const ChainOutcome o =
        RelayChain(
            {.receivers = receivers, .loss_in = 0.01, .loss_out = 0.01, .parity_percent = 10, .keys = chain_keys()})
            .run();
    INFO(figures(o));
    CHECK_FALSE(o.relay_changed_bytes);
    CHECK(o.answered == 0);
    for (const auto& receiver : o.receivers) {
      CHECK(receiver.wrong == 0);
      CHECK(receiver.whole >= 38);
    }
    CHECK(o.feedback_to_sender <= o.feedback_of_receivers);
    CHECK(o.feedback_to_sender < 40 * 17 / 10 * 8);  // kInATurn
  }
}

TEST_CASE("hops: parity of a hop replaces the sender's, for raw and for coded streams") {
  for (const bool coded : {true, false})
    for (const double sender : {0.0, 10.0})
      for (const double hop : {0.0, 20.0}) {
        CAPTURE(coded);
        CAPTURE(sender);
        CAPTURE(hop);
        const ChainOutcome o = RelayChain({.receivers = 2,
                                           .loss_in = 0.02,
                                           .loss_out = 0.05,
                                           .coded = coded,
                                           .parity_percent = sender,
                                           .hop = {.parity_percent = hop, .answers = hop == 0}})
                                   .run();
        INFO(figures(o));
        for (const auto& receiver : o.receivers) {
          CHECK(receiver.wrong == 0);
          CHECK(receiver.whole >= 38);
          CHECK(receiver.counters.malformed == 0);
          CHECK((receiver.counters.recovered_parity > 0) == (hop > 0));
          CHECK((receiver.counters.requested > 0) == (hop == 0));
        }
      }
}

TEST_CASE("hops: a sender that begins anew is followed, and a relay that does is too") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    const auto key = sealed ? chain_keys() : nullptr;
    const ChainOutcome sender = RelayChain({.keys = key, .restart_at = 20}).run();
    INFO(figures(sender));
    for (const auto& receiver : sender.receivers) CHECK(receiver.whole == 40);
    const ChainOutcome relay = RelayChain({.keys = key, .relay_restart_at = 20}).run();
    INFO(figures(relay));
    for (const auto& receiver : relay.receivers) CHECK(receiver.whole >= 38);
  }
}
