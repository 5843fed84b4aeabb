// attacks.h — what a stranger says to a receiver or to a sender, as long as it is to go on.
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

// What has left the genuine sender: for a forger on the same network to overhear.
class Overheard {
 public:
  void put(Lane lane, Bytes datagram);
  void give_to(transport::test::Forger& forger);  // pictures' packets since the last call
  // Of the newest packet that says it in the clear; 0: none did.
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
  void say(Lane lane, Bytes datagram);            // to the program that receives
  void say_to_sender(Lane lane, Bytes datagram);  // nothing so long as nothing came from that port of it
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
// Whole frames in a datagram each, 50 a second for task.seconds: BC1 of 4x4 and of 8x8, and BC5, in turn; under a
// session's name of their own, or, from the sender's own address, under the genuine one's.
void describe(const Scene& scene);
// Sound of kForgedLevel: in turn a second under a session's name of its own and a second under the genuine one's.
void sound(const Scene& scene);
// Receivers' reports that nearly all packets got lost, five a second, in ever other names.
void report_losses(const Scene& scene);
// Frames of 4096x4096 in a datagram each: 1,200 in 0.9 s that code all tiles ("burst"), 29 a second of these ("heavy"),
// or 27 a second that tell of none ("empty"), both for task.seconds.
void send_large_frames(const Scene& scene);
// A packet of a compact stream of `picture`, in which one tile is another: to be said in front of that genuine packet.
// Empty where the datagram is none with a payload in the clear.
transport::test::Datagram with_forged_tile(Bytes datagram, const TextureDesc& picture);

}  // namespace texcast::attack
