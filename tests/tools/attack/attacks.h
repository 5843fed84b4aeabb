// attacks.h — what a forger sends to a receiver or to a sender.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "../../transport/forger.h"
#include "relay.h"
#include "task.h"
#include "texcast/format.h"

namespace texcast::attack {

// Packets of the genuine sender that a forger on the same network overhears.
class Overheard {
 public:
  void put(Lane lane, Bytes datagram);
  void give_to(transport::test::Forger& forger);  // pictures' packets since the last call
  // SSRC of the newest packet in the clear; 0: there was none.
  uint32_t ssrc(Lane lane) const { return ssrc_[static_cast<size_t>(lane)]; }

 private:
  std::mutex mutex_;
  std::vector<transport::test::Datagram> packets_;
  std::array<std::atomic<uint32_t>, kLanes> ssrc_{};
};

// The forger's socket: at an address of its own, or at the sender's and the program's.
class Mouth {
 public:
  Mouth(const Task& task, const Relay& relay);
  void say(Lane lane, Bytes datagram);            // to the receiver
  void say_to_sender(Lane lane, Bytes datagram);  // only once that port of the sender is known
  uint64_t said() const { return said_; }

 private:
  const bool is_sender_;
  const std::string from_;
  const Relay& relay_;
  const Descriptor socket_;
  std::atomic<uint64_t> said_ = 0;
};

struct Scene {
  const Task& task;
  Mouth& mouth;
  Overheard& overheard;
  const std::atomic<bool>& stop;
};

// Packets of Forger's fourteen kinds, task.rate a second.
void flood(const Scene& scene);
// Whole frames in a datagram each, 50 a second for task.seconds: BC1 of 4x4 and of 8x8 and, except in "files", BC5, in
// turn. They have an SSRC of their own, or, from the sender's own address, the genuine one.
void describe(const Scene& scene);
// Sound of kForgedLevel: a second with an SSRC of its own and a second with the genuine one, in turn.
void sound(const Scene& scene);
// Receiver reports of 99 % loss, five a second, each with another SSRC.
void report_losses(const Scene& scene);
// Frames of 4096x4096 in a datagram each: 1,200 in 0.9 s that code all tiles ("burst"), 29 a second of these ("heavy"),
// or 27 a second that tell of none ("empty"), both for task.seconds.
void send_large_frames(const Scene& scene);
// The datagram, a packet of a compact stream of `picture`, with a payload that replaces one tile: to be sent in front
// of the genuine one. Empty if the datagram is not such a packet, or is encrypted.
transport::test::Datagram with_forged_tile(Bytes datagram, const TextureDesc& picture);

}  // namespace texcast::attack
