// attacks.h — the datagrams that a forger sends to a receiver or to a sender.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "../../transport/forger.h"
#include "relay.h"
#include "task.h"
#include "texcast/format.h"

namespace texcast::attack {

// Packets of the genuine sender that a forger on the same network overhears. Thread-safe.
class Overheard {
 public:
  void put(Lane lane, Bytes datagram);
  void give_to(transport::test::Forger& forger);  // the video packets since the last call
  // The SSRC of the newest packet in the clear; 0 if there was none.
  uint32_t ssrc(Lane lane) const { return ssrc_[static_cast<size_t>(lane)]; }

 private:
  std::mutex mutex_;
  std::vector<transport::test::Datagram> packets_;
  std::array<std::atomic<uint32_t>, kLanes> ssrc_{};
};

// The forger's socket. It has an address of its own, or the addresses of the sender and the program. Thread-safe.
class ForgerSocket {
 public:
  ForgerSocket(const Task& task, const Relay& relay);
  void send_to_receiver(Lane lane, Bytes datagram);
  void send_to_sender(Lane lane, Bytes datagram);  // does nothing until the sender's port is known
  uint64_t sent() const { return sent_; }

 private:
  const bool is_sender_;
  const Relay& relay_;
  const transport::Address loopback_;  // of the same IP version as the forger's address
  const Descriptor socket_;
  std::atomic<uint64_t> sent_ = 0;
};

struct AttackContext {
  const Task& task;
  ForgerSocket& socket;
  Overheard& overheard;
  const std::atomic<bool>& stop;
};
// An attack ends when `stop` is set; those marked (*) also end by themselves.
using Attack = void (*)(const AttackContext&);

// Packets of the fourteen kinds of test::Forger, task.rate per second.
void flood(const AttackContext& context);
// (*) Whole frames in one datagram each, 50 per second for task.seconds: BC1 of 4x4 and of 8x8 in turn, or these and
// BC5 of 4x4. The SSRC is the forger's own; from the sender's address it is the genuine one.
void send_other_sizes(const AttackContext& context);
void send_other_formats(const AttackContext& context);
// Sound of kForgedLevel, with the forger's own SSRC and the genuine SSRC in turn, a second each.
void send_sound(const AttackContext& context);
// RTCP receiver reports of 99 % loss to the sender, five per second, each with another SSRC.
void report_losses(const AttackContext& context);
// (*) Single datagrams of coded frames of 4096x4096 (large_frames.h): 1,200 costly ones in 0.9 s; 29 costly ones per
// second for task.seconds; 27 empty ones per second for task.seconds.
void send_burst(const AttackContext& context);
void send_costly_frames(const AttackContext& context);
void send_empty_frames(const AttackContext& context);
// Returns a copy of `datagram`, a packet of a coded stream of `picture`, whose payload replaces one tile. It has to be
// sent before the genuine packet. Returns nothing if the datagram is no such packet or is encrypted.
transport::test::Datagram with_forged_tile(Bytes datagram, const TextureDesc& picture);

}  // namespace texcast::attack
