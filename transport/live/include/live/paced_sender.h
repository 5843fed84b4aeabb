// paced_sender.h — the sending thread: one encoded frame into packets, which leave spread over a part of the frame
// time; and what comes back from receivers, answered at once, also between packets and between frames. A frame may
// begin to leave while its later bands are still being encoded.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/latency.h"
#include "base/loop_thread.h"
#include "base/work_ahead.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "live/rate_adaptation.h"
#include "live/stream_format.h"
#include "live/texture_sender.h"
#include "texcast/encoder.h"
#include "transport/compact_packetizer.h"
#include "transport/feedback_opener.h"
#include "transport/pacer.h"
#include "transport/packetizer.h"
#include "transport/retransmit_store.h"

namespace texcast::stream {

// A receiver's request for tiles, and from which destination; what it points to is valid during the call. On the
// sending thread: it must return soon, and may not call the sender.
using OnTileRequest = std::function<void(const transport::PeerAddress& from, const transport::TileRequest&)>;

// How frames of a stream become packets: one of the two packetizers.
struct StreamWire {
  std::unique_ptr<WorkAhead> helpers{};  // of the packetizer, or none
  std::unique_ptr<transport::FramePacketizer> plain{};
  std::unique_ptr<transport::CompactPacketizer> compact{};
  std::unique_ptr<transport::RetransmitStore> store{};  // answers requests for lost packets; nullptr: nobody does
  transport::FeedbackOpener opener;
  OnTileRequest on_tile_request{};
};

// All calls from one thread.
class PacedSender final : public TextureSender {
 public:
  // Sets `progress` when a frame has been sent. It and `destinations` must outlive this.
  PacedSender(Destinations& destinations, StreamWire wire, const transport::PacerSettings& pace,
              AutoResetEvent& progress, SentStatus so_far = {});
  ~PacedSender() override = default;  // ends between two packets

  bool idle() override;
  bool answers_requests() const override { return wire_.store != nullptr; }
  bool takes_bands() const override { return wire_.plain != nullptr; }
  void start(const EncodedFrame& frame) override;
  void start(const EncodedFrame& frame, size_t ready_bytes) override;
  void advance(size_t ready_bytes) override;
  void finish(WallTime encoded) override;
  // Of a compact stream instead: a frame begins, of which nothing is ready; add() tells of payloads that are, in order,
  // which stay as they are until idle() again; finish(), after at least one, that those were all. The last one leaves
  // with finish() at the earliest. max_payload(): the most bytes that one may have.
  void start(const FrameTimes& times);
  void add(std::span<const Bytes> payloads);
  size_t max_payload() const { return wire_.compact->max_payload(); }
  // A datagram that leaves before the next frame, as it is: not paced, not sealed, not sent again. The last one counts.
  void put_beside(Bytes datagram);
  // From the next frame on, at most as the settings said. From any thread.
  void limit(double bits_per_s) { rate_bits_per_s_ = bits_per_s; }
  // What tells how the way is, without the rest of status(). From any thread; the span is `memory`'s.
  RateSigns signs(std::vector<transport::ReceiverOpinion>& memory) const;
  SentStatus status() const override;

 private:
  void run(const std::stop_token& stop);
  void frame_is_over();
  bool closing() const { return thread_.stop_requested(); }
  struct Sent {
    size_t packets = 0, bytes = 0;  // of datagrams
    size_t wire_bytes = 0;          // of those on the line: what is paced
    WallTime first{};               // handed over
  };
  // What of a frame the packetizer has been given.
  struct Progress {
    size_t given = 0;   // bytes, or payloads
    size_t rest = 0;    // bytes that are known of, and not given
    bool over = false;  // that was all
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
  void wait_until(SteadyTime deadline);  // and answers what comes back meanwhile
  void on_feedback(const transport::Feedback& feedback);
  void count_feedback(const transport::FeedbackOpener::Asked& asked, bool tiles,
                      std::span<const transport::OutgoingPacket> again);

  Destinations& destinations_;
  StreamWire wire_;
  transport::Pacer pacer_;
  AutoResetEvent& progress_;
  const transport::UdpSender::OnFeedback on_feedback_ = [this](const transport::Feedback& f) { on_feedback(f); };
  std::atomic<size_t> ready_bytes_ = 0;      // of frame_
  std::atomic<double> rate_bits_per_s_ = 0;  // 0: as the pacer has it
  size_t usual_wire_bytes_ = 0;              // for a frame, as the last one had; sending thread
  mutable std::mutex mutex_;
  std::optional<EncodedFrame> frame_;
  WallTime encoded_{};              // all of frame_
  WallTime captured_{};             // frame_ was available then; zero: not known. The thread's
  std::vector<Bytes> payloads_;     // of a compact frame_, so far
  uint32_t total_ = 0;              // of them; 0: not known yet
  std::vector<Bytes> slice_;        // sending thread
  std::vector<std::byte> beside_;   // put_beside()
  std::vector<std::byte> leaving_;  // sending thread: the same, while it leaves
  SentStatus status_;
  uint64_t line_bytes_ = 0, again_line_bytes_ = 0;  // by frames; again, because receivers asked
  const uint64_t requests_before_, again_before_;   // of status_, when this began
  SteadyTime line_free_{};                          // where a rate is not to be exceeded; sending thread
  uint64_t receiver_changes_ = 0;                   // that status_ knows
  LoopThread thread_;                               // last: it uses the above
};

// Threads besides the sending one that make parity and seal, for frames of so many bytes: none where one thread has
// time to spare, and no more than leave a processor each for the sending thread and the encoder.
int helper_threads(size_t frame_bytes, double fps, const transport::WireChoice& wire);

// For textures of one description, over `destinations`, and answers to requests where these are no group. Throws
// Error{usage} where the settings contradict each other.
std::unique_ptr<PacedSender> make_paced_sender(Destinations& destinations, const SendSettings& settings,
                                               const TextureDesc& texture, AutoResetEvent& progress,
                                               const StreamIdentity& identity);

// The same for a compact stream. Requests for tiles come from unicast destinations, and from anybody where one is a
// group and Destinations has been told so.
struct CompactStream {
  uint8_t coding = kLosslessCoding;  // as StreamDesc has them
  uint32_t coder = 0;
  OnTileRequest on_tile_request{};
};
std::unique_ptr<PacedSender> make_compact_sender(Destinations& destinations, const SendSettings& settings,
                                                 const TextureDesc& texture, const CompactStream& compact,
                                                 AutoResetEvent& progress, const StreamIdentity& identity);

}  // namespace texcast::stream
