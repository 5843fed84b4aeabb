// paced_sender.h — the sending thread: one encoded frame into packets, which leave spread over a part of the frame
// time; and what comes back from receivers, answered at once, also between packets and between frames. A frame may
// begin to leave while its later bands are still being encoded.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "base/latency.h"
#include "base/loop_thread.h"
#include "base/work_ahead.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "texcast/encoder.h"
#include "transport/pacer.h"
#include "transport/packetizer.h"
#include "transport/retransmit_store.h"
#include "transport/wire_choice.h"

namespace texcast::stream {

struct SendSettings {
  double fps = 60;                                       // of the stream header, and of the pace
  int mtu = 1500;                                        // bytes of an IP packet
  double spread = 0.75;                                  // part of the frame time over which packets are spread
  std::optional<double> rate_bits_per_s = std::nullopt;  // not to be exceeded on the line
  transport::WireChoice wire{};
};

struct SentStatus {
  uint64_t frames = 0;
  uint64_t packets = 0;
  uint64_t bytes = 0;                                     // of datagrams, UDP payload
  uint64_t refused = 0;                                   // nobody listens, no route
  uint64_t feedback = 0;                                  // datagrams that came back and mean nothing to us
  uint64_t requests = 0;                                  // for packets that got lost
  uint64_t again = 0;                                     // packets sent again for them
  std::optional<SteadyTime> first_frame{}, last_frame{};  // when their first packets left
  LatencyWindow encode;                                   // available to encoded, all of it
  LatencyWindow send;                                     // encoded to last packet handed over
  LatencyWindow first;                                    // available to first packet handed over
  LatencyWindow last;                                     // available to last packet handed over
  std::vector<transport::ReceiverOpinion> receivers{};    // what they say of the stream
};

// All calls from one thread.
class PacedSender {
 public:
  // Sets `progress` when a frame has been sent. It and `destinations` must outlive this. `store` answers requests for
  // lost packets; nullptr: nobody does. `helpers`: the packetizer's, or nullptr.
  PacedSender(Destinations& destinations, std::unique_ptr<WorkAhead> helpers,
              std::unique_ptr<transport::FramePacketizer> packetizer, std::unique_ptr<transport::RetransmitStore> store,
              const transport::PacerSettings& pace, AutoResetEvent& progress);
  ~PacedSender() = default;  // ends between two packets

  // True when start() may be called. Throws what sending met; nothing is sent after that.
  bool idle();
  // Whether packets are sent again when receivers ask, also while idle.
  bool answers_requests() const { return store_ != nullptr; }
  // Sends on the thread; the frame's memory must stay as it is until idle() again.
  void start(const EncodedFrame& frame);
  // The same while only the first `ready_bytes` are final: what can be made of them leaves. advance() tells of more,
  // finish() that the frame is whole and when that was; both do nothing for a frame whose sending failed.
  void start(const EncodedFrame& frame, size_t ready_bytes);
  void advance(size_t ready_bytes);
  void finish(WallTime encoded);
  SentStatus status() const;

 private:
  void run(const std::stop_token& stop);
  void frame_is_over();
  bool closing() const { return thread_.stop_requested(); }
  struct Sent {
    size_t packets = 0, bytes = 0;  // of datagrams
    size_t wire_bytes = 0;          // of those on the line: what is paced
    WallTime first{};               // handed over
  };
  void send(const EncodedFrame& frame);
  size_t on_wire(const transport::OutgoingPacket& packet) const;
  Sent send_paced(size_t frame_bytes);
  Sent send_stamped(size_t frame_bytes, WallTime begin);
  std::optional<EncodedFrame> waiting_frame() const;
  std::span<const transport::OutgoingPacket> next_packets(size_t ready_bytes);
  void wait_until(SteadyTime deadline);  // and answers what comes back meanwhile
  void on_feedback(const transport::Feedback& feedback);

  Destinations& destinations_;
  std::unique_ptr<WorkAhead> helpers_;  // of the next, or none
  std::unique_ptr<transport::FramePacketizer> packetizer_;
  std::unique_ptr<transport::RetransmitStore> store_;
  transport::Pacer pacer_;
  AutoResetEvent& progress_;
  const transport::UdpSender::OnFeedback on_feedback_ = [this](const transport::Feedback& f) { on_feedback(f); };
  std::atomic<size_t> ready_bytes_ = 0;  // of frame_
  size_t usual_wire_bytes_ = 0;          // for a frame, as the last one had; sending thread
  mutable std::mutex mutex_;
  std::optional<EncodedFrame> frame_;
  WallTime encoded_{};  // all of frame_
  SentStatus status_;
  SteadyTime line_free_{};         // where a rate is not to be exceeded; sending thread
  uint64_t receiver_changes_ = 0;  // that status_ knows
  LoopThread thread_;              // last: it uses the above
};

// Threads besides the sending one that make parity and seal, for frames of so many bytes: none where one thread has
// time to spare, and no more than leave a processor each for the sending thread and the encoder.
int helper_threads(size_t frame_bytes, double fps, const transport::WireChoice& wire);

// For textures of one description, over `destinations`: with random beginnings (RFC 3550), and answers to requests
// where the destinations are no group. Throws Error{usage} where the settings contradict each other.
std::unique_ptr<PacedSender> make_paced_sender(Destinations& destinations, const SendSettings& settings,
                                               const TextureDesc& texture, AutoResetEvent& progress);

}  // namespace texcast::stream
