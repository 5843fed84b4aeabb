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
      "feedback: {} of receivers ({} sealed, {} envelope NACKs), {} to the sender; first receiver: {} whole, {} wrong "
      "of {}",
      o.sent, o.lost_in, o.sent_again, o.answered, o.restored, o.passed, o.feedback_of_receivers, o.sealed_feedback,
      o.envelope_nacks, o.feedback_to_sender, o.receivers[0].whole, o.receivers[0].wrong, o.receivers[0].shown);
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
    CHECK(o.answered < o.feedback_of_receivers);  // parity comes first
    for (const auto& receiver : o.receivers) {
      CHECK(receiver.wrong == 0);
      CHECK(receiver.whole >= 38);
    }
    CHECK(o.feedback_to_sender <= o.feedback_of_receivers);
    CHECK(o.feedback_to_sender < 40 * 17 / 10 * 8);  // kInATurn
  }
}

TEST_CASE("hops: without the key and parity, what the sender sends again for NACKs passes and repairs both hops") {
  const ChainOutcome o =
      RelayChain({.loss_in = 0.01, .loss_out = 0.01, .keys = chain_keys(), .hop = {.answers = false}}).run();
  INFO(figures(o));
  check_whole(o, 40);
  CHECK(o.sent_again > 0);
  for (const auto& receiver : o.receivers) CHECK(receiver.counters.recovered_retransmission > 0);
}

TEST_CASE("hops: without the key and parity, a relay repairs what is lost behind it by envelopes, as with the key") {
  for (const size_t receivers : {size_t{2}, size_t{50}})
    for (const double loss : {0.01, 0.05}) {
      CAPTURE(receivers);
      CAPTURE(loss);
      const auto run = [&](bool has_key) {
        return RelayChain({.receivers = receivers, .loss_out = loss, .keys = chain_keys(), .relay_has_key = has_key})
            .run();
      };
      const ChainOutcome with_key = run(true), o = run(false);
      INFO(figures(with_key));
      INFO(figures(o));
      int whole = 0, whole_with_key = 0;
      for (size_t i = 0; i < receivers; ++i) {
        whole += o.receivers[i].whole;
        whole_with_key += with_key.receivers[i].whole;
        CHECK(o.receivers[i].wrong == 0);
        CHECK(o.receivers[i].counters.malformed + o.receivers[i].counters.foreign == 0);
      }
      CHECK(whole >= whole_with_key);
      CHECK(o.answered > 0);
      CHECK(o.envelope_nacks > 0);
      CHECK_FALSE(o.relay_changed_bytes);
    }
}

TEST_CASE("hops: without the key, what is lost before the relay is asked of the sender, with sealed NACKs") {
  for (const double loss : {0.01, 0.05})
    for (const bool both : {false, true}) {
      CAPTURE(loss);
      CAPTURE(both);
      const ChainOutcome o = RelayChain({.loss_in = loss, .loss_out = both ? loss : 0, .keys = chain_keys()}).run();
      INFO(figures(o));
      for (const auto& receiver : o.receivers) {
        CHECK(receiver.whole >= 39);
        CHECK(receiver.wrong == 0);
        CHECK(receiver.counters.malformed + receiver.counters.foreign == 0);
      }
      CHECK(o.lost_in > 0);
      CHECK(o.sent_again > 0);
      CHECK(o.sealed_feedback > 0);
      CHECK((o.answered > 0) == both);
    }
}

TEST_CASE("hops: a relay without the key repairs a stream whose sender answers no NACKs") {
  const ChainOutcome o = RelayChain({.loss_out = 0.05, .keys = chain_keys(), .sender_answers = false}).run();
  INFO(figures(o));
  for (const auto& receiver : o.receivers) CHECK(receiver.whole >= 39);
  CHECK(o.answered > 0);
  CHECK(o.sealed_feedback == 0);
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

TEST_CASE("newcomers: fifty that ask for all tiles at once cost the sender one picture, and another one later") {
  TileRequestMerger merger;
  const auto asks = [&](uint32_t receiver, uint32_t newest, SteadyTime now) {
    merger.add(receiver, {.ssrc = 1, .newest = newest, .all = true}, now);
  };
  SteadyTime now{1s};
  for (uint32_t i = 0; i < 50; ++i) asks(i, 100, now);
  CHECK(merger.next(now, 100));
  for (uint32_t i = 0; i < 50; ++i) asks(i, 100, now + 20ms);  // repeated before the answer can be here
  CHECK(merger.covered() == 50);
  CHECK_FALSE(merger.next(now + 600ms, 101));
  asks(60, 103, now + 100ms);  // came later, but does not ask any more at the end of the interval
  CHECK_FALSE(merger.next(now + 500ms, 130));
  asks(61, 131, now + 520ms);
  CHECK(merger.next(now + 520ms, 131));
  CHECK_FALSE(merger.next_deadline());
}

TEST_CASE("newcomers: one receiver alone makes the sender send few whole pictures, and does not keep others out") {
  TileRequestMerger merger;
  int passed = 0;
  SteadyTime now{1s};
  uint32_t newest = 1;
  for (int i = 0; i < 1000; ++i, now += 20ms, ++newest) {  // 20 s
    merger.add(7, {.ssrc = 1, .newest = newest, .all = true}, now);
    passed += merger.next(now, newest) ? 1 : 0;
  }
  CHECK(passed <= 8);
  CHECK(passed >= 7);
  merger.add(8, {.ssrc = 1, .newest = newest + 1, .all = true}, now);
  CHECK(merger.next(now + 500ms - 250ms, newest));
}

TEST_CASE("tile requests that an answer on its way covers are not passed on") {
  TileRequestMerger merger;
  const auto add = [&](uint32_t newest, std::vector<PacketRange> ranges, SteadyTime now) {
    Datagram datagram(kMostTileRequestBytes);
    datagram.resize(write_tile_request(datagram, {.ssrc = 1, .newest = newest, .state = 5}, ranges));
    merger.add(1, *parse_tile_request(Bytes(datagram).subspan(kOwnHeaderBytes)), now);
  };
  const SteadyTime now{1s};
  add(9, {{10, 5}}, now);
  CHECK(merger.next(now, 10));
  add(10, {{11, 2}}, now + 30ms);  // a part of it
  CHECK_FALSE(merger.next(now + 30ms, 11));
  CHECK(merger.covered() == 1);
  add(10, {{14, 2}}, now + 40ms);  // a tile more
  CHECK(merger.next(now + 40ms, 11));
  add(12, {{11, 1}}, now + 70ms);  // has seen the answer, or it was lost
  CHECK(merger.next(now + 70ms, 12));
}

TEST_CASE("sealed feedback passes in turn, limited, and the latest of each receiver") {
  SealedFeedback feedback;
  const SteadyTime now{1s};
  for (int round = 0; round < 10; ++round)
    for (uint32_t receiver = 0; receiver < 100; ++receiver)
      feedback.add(receiver, random_bytes(60, receiver * 100 + static_cast<uint32_t>(round)));
  for (uint32_t i = 0; i < SealedFeedback::kInATurn; ++i) {
    const auto next = feedback.next(now);
    REQUIRE(next);
    CHECK(same(*next, random_bytes(60, i * 100 + 8)));  // the last but one is its oldest
  }
  CHECK_FALSE(feedback.next(now));
  CHECK(feedback.next_deadline() == now + SealedFeedback::kTurn);
  size_t all = SealedFeedback::kInATurn;
  for (SteadyTime later = now; feedback.next_deadline(); later += SealedFeedback::kTurn)
    while (feedback.next(later)) ++all;
  CHECK(all == SealedFeedback::kMostReceivers * SealedFeedback::kOfAReceiver);
}

TEST_CASE("without the key each envelope passes once, from one session and address, until that is silent") {
  KeylessPassage passage;
  const auto from = [](uint8_t last) {
    const std::array<std::byte, 4> bytes{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}};
    return PeerAddress::of_ipv4(bytes, 5004);
  };
  const auto envelope = [](uint64_t session, uint64_t counter) {
    return KeylessPassage::Envelope{.stream = session, .counter = counter, .is_sealed = true};
  };
  SteadyTime now{1s};
  CHECK(passage.passes(envelope(1, 10), now, from(1)));
  CHECK(passage.passes(envelope(1, 12), now, from(1)));
  CHECK(passage.lost() == 1);
  CHECK(passage.passes(envelope(1, 11), now, from(1)));
  CHECK(passage.lost() == 0);
  CHECK_FALSE(passage.passes(envelope(1, 11), now, from(1)));
  passage.note_feedback(now);
  CHECK(passage.passes(envelope(1, 11), now + 900ms, from(1)));  // may be an answer
  CHECK(passage.passed_again() == 1);
  CHECK_FALSE(passage.passes(envelope(1, 11), now + KeylessPassage::kAnswered, from(1)));
  CHECK_FALSE(passage.passes(envelope(1, 13), now, from(2)));  // a loop
  CHECK(passage.returned() == 1);
  CHECK_FALSE(passage.passes(envelope(2, 0), now, from(2)));
  CHECK(passage.passes(envelope(1, uint64_t{1} << 60), now, from(1)));  // forged: receivers refuse it
  CHECK(passage.passes(envelope(1, 13), now, from(1)));
  CHECK(passage.lost() == 0);
  now += KeylessPassage::kGone;
  CHECK(passage.passes(envelope(2, 5), now, from(2)));
  CHECK(passage.sender().count == 2);

  Sealer sealer(*chain_keys());
  Datagram sealed(100 + kSealOverhead);
  sealer.seal(random_bytes(100, 1), {}, sealed, WallTime(1'700'000'000s));
  const auto first = KeylessPassage::read(sealed);
  sealer.seal(random_bytes(100, 1), {}, sealed, WallTime(1'700'000'000s));
  const auto second = KeylessPassage::read(sealed);
  REQUIRE((first && second));
  CHECK(second->stream == first->stream);
  CHECK(second->counter == first->counter + 1);
  CHECK_FALSE(KeylessPassage::read(Bytes(sealed).first(30)));
  CHECK_FALSE(KeylessPassage::read(random_bytes(100, 3)));
}

TEST_CASE("a stream that comes evenly is not delayed, and what was held up is spread") {
  BurstLimit limit;
  SteadyTime now{1s};
  for (int i = 0; i < 2000; ++i, now += 500us) CHECK(limit.wait(4000, now) == nanoseconds{});  // 64 Mbit/s
  now += 30ms;
  nanoseconds waited{};
  for (int i = 0; i < 5; ++i) {
    const nanoseconds wait = limit.wait(48 << 10, now);
    waited += wait;
    now += wait;
  }
  CHECK(waited >= 6ms);  // 144 KiB beyond the bucket, at 128 Mbit/s
  CHECK(waited <= 10ms);
}

TEST_CASE("a relay reports the median of its receivers, or the worst, or none") {
  const SteadyTime now{100s};
  std::vector<ReceiverOpinion> receivers;
  for (const double loss : {0.0, 0.0, 0.01, 0.02, 0.5})
    receivers.push_back({.loss = loss, .jitter_ms = loss * 100, .heard = now});
  receivers.push_back({.loss = 0.9, .left = true, .heard = now});
  receivers.push_back({.loss = 0.9, .heard = now - 40s});
  CHECK(summary_of(receivers, ReportChoice::median, now).loss == 0.01);
  CHECK(summary_of(receivers, ReportChoice::worst, now).loss == 0.5);
  CHECK(summary_of(receivers, ReportChoice::worst, now).jitter_ms == 50);
  CHECK(summary_of(receivers, ReportChoice::own, now).loss == 0);
  CHECK(summary_of({}, ReportChoice::median, now).loss == 0);
}
