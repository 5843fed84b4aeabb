// relay_chain.h — a sender, a relay and its receivers in simulated time, with a lossy network before and behind the
// relay, and feedback on the way back.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "compact_support.h"
#include "simulated_network.h"
#include "transport/own_packetizer.h"
#include "transport/relay_session.h"
#include "transport/retransmit_store.h"

namespace texcast::transport::test {

struct ChainSettings {
  int frames = 40;
  size_t receivers = 2;
  double loss_in = 0, loss_out = 0;  // in both directions
  bool coded = true;
  double parity_percent = 0;
  std::shared_ptr<const WireKeys> keys{};  // of the sender and the receivers
  bool relay_has_key = false;
  bool sender_answers = true;  // of coded streams
  HopChoices hop{};
  int restart_at = -1;        // the sender begins anew with this frame, under another SSRC
  int relay_restart_at = -1;  // the relay does
};

struct ChainOutcome {
  struct Receiver {
    int whole = 0, wrong = 0, shown = 0;
    ReceiveCounters counters{};
  };
  std::vector<Receiver> receivers{};
  uint64_t sent = 0, lost_in = 0;       // packets
  uint64_t sent_again = 0;              // by the sender
  uint64_t feedback_to_sender = 0;      // datagrams
  uint64_t feedback_of_receivers = 0;   // datagrams that reached the relay
  uint64_t answered = 0, restored = 0;  // by the relay, packets
  uint64_t passed = 0;                  // by the relay, datagrams
  uint64_t sealed_feedback = 0;         // of receivers, at a relay without the key
  uint64_t envelope_nacks = 0;          // the same
  bool relay_changed_bytes = false;     // something passed that the sender did not send
  ReceiveCounters relay{};
};

class RelayChain {
 public:
  explicit RelayChain(const ChainSettings& settings)
      : settings_(settings),
        in_({.seed = 5, .loss = settings.loss_in}),
        in_back_({.seed = 6, .loss = settings.loss_in}) {
    for (size_t i = 0; i < settings.receivers; ++i) {
      const auto seed = static_cast<uint32_t>(10 + 2 * i);
      behind_.push_back(std::make_unique<Behind>(settings_, seed));
    }
    begin_sender(1);
    begin_relay();
    outcome_.receivers.resize(settings.receivers);
  }

  ChainOutcome run() {
    SteadyTime start{1s};
    for (int i = 0; i < settings_.frames; ++i, start += kFrameTime) {
      if (i == settings_.restart_at) {
        pass(now_ + 2500ms);
        start = now_;
        begin_sender(2);
      }
      if (i == settings_.relay_restart_at) begin_relay();
      send_frame(i, start);
    }
    pass(start + 1s);
    for (size_t i = 0; i < behind_.size(); ++i) outcome_.receivers[i].counters = behind_[i]->session.counters();
    outcome_.lost_in = in_.lost;
    outcome_.sent_again += store_->sent_again();
    outcome_.answered = relay_->sent_again();
    outcome_.restored = relay_->restored();
    outcome_.passed = relay_->passed();
    outcome_.sealed_feedback = relay_->sealed_feedback().received();
    outcome_.envelope_nacks = relay_->envelopes().requests();
    outcome_.relay = relay_->counters();
    return outcome_;
  }
  RelaySession& relay() { return *relay_; }

 private:
  static constexpr nanoseconds kFrameTime{16'666'667};
  static constexpr nanoseconds kStep = 200us;
  struct Behind {
    Behind(const ChainSettings& s, uint32_t seed)
        : out({.seed = seed, .loss = s.loss_out}),
          back({.seed = seed + 1, .loss = s.loss_out}),
          session({.request_lost = true, .keys = s.keys, .max_age = 0s}) {}
    SimulatedNetwork out, back;
    ReceiveSession session;
  };
  static WallTime wall(SteadyTime at) { return wall_of(at) + 1'700'000'000s; }
  static PeerAddress sender_at(uint32_t ssrc) {
    const std::array<std::byte, 4> bytes{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{1}};
    return PeerAddress::of_ipv4(bytes, static_cast<uint16_t>(40'000 + ssrc));
  }

  void begin_sender(uint32_t ssrc) {
    ssrc_ = ssrc;
    if (store_) outcome_.sent_again += store_->sent_again();
    store_ = std::make_unique<RetransmitStore>(RetransmitSettings{.ssrc = ssrc, .keys = settings_.keys});
    const auto reserved = settings_.keys ? static_cast<int>(kSealOverhead) : 0;
    PacketizerSettings packets = settings_.coded ? compact_settings(ssrc) : small_settings(ssrc);
    packets.reserved_bytes = reserved;
    packets.mtu = 800;
    if (settings_.coded)
      coded_ =
          std::make_unique<CompactPacketizer>(packets, CompactSettings{.parity_percent = settings_.parity_percent,
                                                                       .answers_requests = settings_.sender_answers,
                                                                       .takes_tile_requests = true,
                                                                       .sealer = sealer_with(settings_.keys)});
    else
      raw_ = std::make_unique<OwnPacketizer>(
          packets, OwnSettings{.parity_percent = settings_.parity_percent, .answers_requests = true});
  }
  void begin_relay() {
    relay_ = std::make_unique<RelaySession>(
        ReceiveSettings{
            .request_lost = true, .keys = settings_.relay_has_key ? settings_.keys : nullptr, .max_age = 0s},
        PacketCacheSettings{}, RelayChoices{.keeps_seal = true, .hop = settings_.hop});
  }
  Payloads payloads(int index) const { return payloads_of(index, 30, coded_->max_payload()); }
  static std::vector<std::byte> raw_frame(int index) {
    return random_bytes(kSmallFrame * 6, static_cast<uint32_t>(index));
  }

  void send_frame(int index, SteadyTime start) {
    std::vector<OutgoingPacket> all;
    FrameTimes times{.pts = kFrameTime * index};
    times.available = times.encoded = times.sent = wall(start);
    const auto take = [&](std::span<const OutgoingPacket> packets) { all.assign(packets.begin(), packets.end()); };
    if (settings_.coded) {
      sent_ = payloads(index);
      coded_->begin(times);
      take(coded_->add(views_of(sent_), static_cast<uint32_t>(sent_.size())));
      store_->begin_frame(coded_->buffer_id(), start);
    } else {
      frame_ = raw_frame(index);
      take(raw_->packetize(frame_, times));
      store_->begin_frame(*raw_->requestable_frame(), start);
    }
    begun_.push_back({ssrc_, settings_.coded ? coded_->buffer_id() : *raw_->requestable_frame(), index});
    store_->keep(all);
    for (size_t k = 0; k < all.size(); ++k) {
      pass(start + kFrameTime * 3 / 4 * static_cast<int>(k) / static_cast<int>(all.size()));
      remember(join(all[k]));
      in_.send(join(all[k]), now_);
      ++outcome_.sent;
    }
  }
  // The latest datagrams that were sent, for comparison with what passes.
  void remember(Datagram datagram) {
    recent_.push_back(std::move(datagram));
    if (recent_.size() > 4000) recent_.pop_front();
  }
  bool was_sent(Bytes datagram) const {
    return std::ranges::any_of(recent_.rbegin(), recent_.rend(),
                               [&](const Datagram& one) { return same(one, datagram); });
  }

  void pass(SteadyTime until) {
    while (now_ < until) {
      now_ = std::min(until, now_ + kStep);
      in_.deliver(now_, [&](Bytes datagram, SteadyTime at) {
        if (const auto on = relay_->on_datagram(datagram, at, wall(at), sender_at(ssrc_))) to_all(*on, at, true);
        made(at);
      });
      relay_->poll(now_, wall(now_));
      made(now_);
      for (size_t i = 0; i < behind_.size(); ++i) serve(i);
      while (const auto request = relay_->poll_feedback(now_)) in_back_.send({request->begin(), request->end()}, now_);
      in_back_.deliver(now_, [&](Bytes datagram, SteadyTime at) {
        ++outcome_.feedback_to_sender;
        for (const OutgoingPacket& packet : store_->answer(0, datagram, at)) in_.send(join(packet), at);
      });
    }
  }
  void made(SteadyTime at) {
    for (const OutgoingPacket& packet : relay_->poll_made()) to_all(packet.header, at, !settings_.hop.changes());
  }
  void to_all(Bytes datagram, SteadyTime at, bool unchanged) {
    if (unchanged && !settings_.hop.changes() && !is_offer(datagram) && !was_sent(datagram))
      outcome_.relay_changed_bytes = true;
    for (const auto& one : behind_) one->out.send({datagram.begin(), datagram.end()}, at);
  }
  // The relay makes these itself.
  static bool is_offer(Bytes datagram) {
    const auto own = parse_own_datagram(datagram);
    return own && own->type == static_cast<uint8_t>(OwnType::envelope_repair);
  }
  void serve(size_t i) {
    Behind& one = *behind_[i];
    one.out.deliver(now_, [&](Bytes datagram, SteadyTime at) {
      one.session.on_datagram(datagram, at, wall(at));
      look(i, at);
    });
    if (const auto due = one.session.next_deadline(); due && *due <= now_) look(i, now_);
    one.back.deliver(now_, [&](Bytes datagram, SteadyTime at) {
      ++outcome_.feedback_of_receivers;
      for (const OutgoingPacket& packet : relay_->on_feedback(static_cast<uint32_t>(i), datagram, at))
        one.out.send(join(packet), at);
    });
  }
  void look(size_t i, SteadyTime at) {
    Behind& one = *behind_[i];
    ChainOutcome::Receiver& counts = outcome_.receivers[i];
    while (const auto frame = one.session.poll(at, wall(at))) {
      ++counts.shown;
      if (frame->payloads_missing > 0 || frame->concealed_bytes > 0) continue;
      ++(is_right(*frame) ? counts.whole : counts.wrong);
    }
    while (const auto request = one.session.poll_feedback(at)) one.back.send({request->begin(), request->end()}, at);
  }
  bool is_right(const ReceivedFrame& frame) const {
    const auto begun = std::find_if(begun_.rbegin(), begun_.rend(),
                                    [&](const Begun& one) { return one.buffer_id == frame.buffer_id; });
    if (begun == begun_.rend()) return false;
    return settings_.coded ? same(frame.payloads, payloads(begun->index)) : same(frame.bytes, raw_frame(begun->index));
  }

  struct Begun {
    uint32_t ssrc, buffer_id;
    int index;
  };
  const ChainSettings settings_;
  SimulatedNetwork in_, in_back_;
  std::vector<std::unique_ptr<Behind>> behind_;
  std::unique_ptr<CompactPacketizer> coded_;
  std::unique_ptr<OwnPacketizer> raw_;
  std::unique_ptr<RetransmitStore> store_;
  std::unique_ptr<RelaySession> relay_;
  uint32_t ssrc_ = 1;
  Payloads sent_;
  std::vector<std::byte> frame_;
  std::vector<Begun> begun_;
  std::deque<Datagram> recent_;
  SteadyTime now_{1s};
  ChainOutcome outcome_;
};

}  // namespace texcast::transport::test
