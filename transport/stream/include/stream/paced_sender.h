// paced_sender.h — the sending thread. It makes packets of one encoded frame at a time and paces them over a part of
// the frame time. It answers feedback from receivers at once, also between packets and between frames. The first bands
// of a frame can leave while its later bands are still being encoded.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/latency.h"
#include "base/loop_thread.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "live/rate_adaptation.h"
#include "stream/stream_wire.h"
#include "stream/texture_sender.h"
#include "texcast/encoder.h"
#include "transport/pacer.h"

namespace texcast::stream {

// All calls come from one thread.
class PacedSender final : public TextureSender {
 public:
  // Sets `progress` when a frame has been sent. `progress` and `destinations` must outlive this.
  PacedSender(Destinations& destinations, StreamWire wire, const transport::PacerSettings& pace,
              AutoResetEvent& progress, SentStatus so_far = {});
  ~PacedSender() override = default;  // stops between two packets

  bool idle() override;
  bool answers_requests() const override { return wire_.store != nullptr; }
  bool wants_frame() const override { return is_frame_wanted_; }
  bool takes_bands() const override { return wire_.plain != nullptr; }
  void start(const EncodedFrame& frame) override;
  void start(const EncodedFrame& frame, size_t ready_bytes) override;
  void advance(size_t ready_bytes) override;
  void finish(WallTime encoded) override;
  // For a coded stream instead: start() begins a frame without payloads. add() appends payloads in order; they must
  // stay unchanged until idle(). finish(), after at least one payload, says that the frame is complete; the last
  // payload does not leave before it. max_payload() is the largest size of a payload.
  void start(const FrameTimes& times);
  void add(std::span<const Bytes> payloads);
  size_t max_payload() const { return wire_.compact->max_payload(); }
  // A datagram to be sent before the next frame, unchanged: it is not paced, encrypted or sent again. A second call
  // replaces a datagram that still waits.
  void put_beside(Bytes datagram);
  // Limits the bit rate from the next frame on; the limit of the settings still holds. nullopt: only that one. From any
  // thread.
  void limit(std::optional<double> bits_per_s) { rate_bits_per_s_ = bits_per_s.value_or(0); }
  // The input of RateAdaptation, cheaper than status(). From any thread; the span points into `memory`.
  RateSigns signs(std::vector<transport::ReceiverOpinion>& memory) const;
  SentStatus status() const override;

 private:
  void run(const std::stop_token& stop);
  void frame_is_over();
  bool closing() const { return thread_.stop_requested(); }
  struct Sent {
    size_t packets = 0, bytes = 0;  // datagrams
    size_t wire_bytes = 0;          // with all headers, on the line: this is what is paced
    WallTime first{};               // when the first datagram was handed over
  };
  // How far the packetizer has come in a frame.
  struct Progress {
    size_t given = 0;   // bytes or payloads that it has been given
    size_t rest = 0;    // known bytes that it has not been given
    bool over = false;  // it has been given everything
  };
  void send(const EncodedFrame& frame);
  void send_beside();
  size_t on_wire(const transport::OutgoingPacket& packet) const;
  Sent send_paced(size_t frame_bytes);
  Sent send_stamped(size_t frame_bytes, WallTime begin);
  std::optional<EncodedFrame> waiting_frame() const;
  std::optional<uint32_t> begin(const EncodedFrame& frame, const FrameTimes& times);
  std::span<const transport::OutgoingPacket> next_packets(Progress& progress);
  std::span<const transport::OutgoingPacket> next_of_bytes(Progress& progress);
  std::span<const transport::OutgoingPacket> next_of_payloads(Progress& progress);
  void wait_until(SteadyTime deadline);  // answers feedback meanwhile
  void on_feedback(const transport::Feedback& feedback);
  void count_feedback(const transport::FeedbackOpener::Asked& asked, bool tiles,
                      std::span<const transport::OutgoingPacket> again);

  Destinations& destinations_;
  StreamWire wire_;
  transport::Pacer pacer_;
  AutoResetEvent& progress_;
  const transport::UdpSender::OnFeedback on_feedback_ = [this](const transport::Feedback& f) { on_feedback(f); };
  std::atomic<size_t> ready_bytes_ = 0;        // final bytes of frame_
  std::atomic<bool> is_frame_wanted_ = false;  // raw stream: somebody asks for the picture
  std::atomic<double> rate_bits_per_s_ = 0;    // by limit(); 0: no limit
  size_t usual_wire_bytes_ = 0;                // of the previous frame; sending thread
  mutable std::mutex mutex_;
  std::optional<EncodedFrame> frame_;
  WallTime encoded_{};              // when frame_ was complete
  WallTime captured_{};             // when frame_ was available; zero: unknown. Sending thread
  std::vector<Bytes> payloads_;     // of frame_ in a coded stream, so far
  uint32_t total_ = 0;              // number of them; 0: not known yet
  std::vector<Bytes> chunk_;        // sending thread
  std::vector<std::byte> beside_;   // of put_beside()
  std::vector<std::byte> leaving_;  // the same while it is sent; sending thread
  SentStatus status_;
  uint64_t line_bytes_ = 0, again_line_bytes_ = 0;  // of frames; of packets sent again
  const uint64_t requests_before_, again_before_;   // in status_ when this was created
  SteadyTime line_free_{};                          // with a bit rate limit; sending thread
  uint64_t receiver_changes_ = 0;                   // Destinations::receiver_changes() of status_
  LoopThread thread_;                               // last: it uses the members above
};

// For textures of this description. Throws Error{usage} if the settings contradict each other.
std::unique_ptr<PacedSender> make_paced_sender(Destinations& destinations, const SendSettings& settings,
                                               const TextureDesc& texture, AutoResetEvent& progress,
                                               const StreamIdentity& identity);
// The same for a coded stream, whose payloads the caller makes.
std::unique_ptr<PacedSender> make_compact_sender(Destinations& destinations, const SendSettings& settings,
                                                 const TextureDesc& texture, const CompactStream& compact,
                                                 AutoResetEvent& progress, const StreamIdentity& identity);

}  // namespace texcast::stream
