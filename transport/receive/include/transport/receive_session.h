// receive_session.h — datagrams in, frames out. Handles loss, reordering, duplicates and changes of the sender. No I/O:
// bytes and time are arguments.
//
// Example:
//     for each datagram that is there:
//       session.on_datagram(bytes, now, wall_now, from);
//       while (auto frame = session.poll(now, wall_now)) show(*frame);
//     wait for datagrams until session.next_deadline()
//     while (auto frame = session.poll(now, wall_now)) show(*frame);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/compact_packet.h"
#include "transport/crypto_choice.h"
#include "transport/cursor_packet.h"
#include "transport/frame_store.h"
#include "transport/own_packet.h"
#include "transport/peer_address.h"
#include "transport/stream.h"
#include "transport/wire_keys.h"

namespace texcast {
class WorkAhead;
}

namespace texcast::transport {

// The largest accepted picture. Its size is checked before any memory is allocated.
struct PictureLimit {
  int width = 65535, height = 65535;  // pixels, either side
  int64_t pixels = int64_t{1} << 32;
  // For sizes in a header, which are rounded up to multiples of 4.
  bool takes(int64_t w, int64_t h) const {
    return w <= (width + 3) / 4 * 4 && h <= (height + 3) / 4 * 4 && w * h <= pixels + 4 * (w + h);
  }
};

struct ReceiveSettings {
  size_t max_frame_bytes = size_t{256} << 20;  // larger frames are refused before anything is allocated
  PictureLimit max_picture{};                  // the same
  // An incomplete frame is delivered at the latest this long after its first packet, or after one frame time if that is
  // longer, because packets of a slow stream are spread over its frame time.
  nanoseconds frame_timeout = std::chrono::milliseconds(100);
  // How long missing packets are waited for after the frame's end, or a later frame, has arrived: covers reordering in
  // the network.
  nanoseconds reorder_grace = std::chrono::milliseconds(3);
  // Another sender (SSRC or address; for an encrypted stream, session) is selected once the current one has been silent
  // for four frame times, but at least 250 ms and at most this. A restarted sender is thus shown at once, and two
  // simultaneous senders do not alternate.
  nanoseconds sender_timeout = std::chrono::seconds(2);
  // Send NACKs for lost packets if the sender answers them. The datagrams of poll_feedback() must then be sent to it.
  // Turn it off if that is impossible.
  bool request_lost = false;
  int conceal_block_bytes = 16;  // concealment replaces whole units of this size
  // With keys, only packets encrypted with them and this cipher are accepted; without, only unencrypted packets.
  std::shared_ptr<const WireKeys> keys{};
  CryptoChoice cipher = CryptoChoice::texcast;
  // The largest difference between the time in a sealed session's first datagram and `wall_now`; 0: not checked.
  nanoseconds max_age = std::chrono::seconds(60);
};

// Each counter has one cause.
struct ReceiveCounters {
  uint64_t packets = 0;  // put into a frame, or dropped with a frame for which there was no memory
  uint64_t bytes = 0;    // their payload
  uint64_t lost = 0;     // missing sequence numbers, counted when their frame is delivered; a packet that arrives after
                         // that reduces it by one
  uint64_t reordered = 0;  // accepted, but after a packet with a higher sequence number
  uint64_t duplicate = 0;  // bytes that had arrived before
  uint64_t late = 0;       // for a frame that was already delivered
  uint64_t malformed = 0;  // no RTP, or a header that contradicts itself, its frame or the stream
  uint64_t foreign = 0;    // another payload type, another sender, or a tile of an unsupported arrangement
  uint64_t oversized = 0;  // their picture is larger than ReceiveSettings::max_picture
  uint64_t beside = 0;     // cursor packets, tile checksums, and what a relay says about envelopes
  // Unused parity, and data that parity had already recovered, of frames that were complete without them.
  uint64_t surplus = 0;
  // Encrypted without or with another key, damaged, replayed, or unencrypted although there is a key.
  uint64_t refused = 0;
  uint64_t recovered_parity = 0;  // lost packets that parity recovered (UltraGrid's FEC symbols are no packets: the
                                  // recovered bytes, divided by the frame's packet size)
  uint64_t requested = 0;         // packets in NACKs; one that is requested twice counts twice
  uint64_t recovered_retransmission = 0;  // lost packets that arrived after a NACK
  uint64_t frames_complete = 0;
  // Delivered with losses concealed from the previous frame; coded frames: delivered incomplete.
  uint64_t frames_concealed = 0;
  uint64_t frames_recovered = 0;  // the complete ones that needed parity
  uint64_t frames_lost = 0;  // gaps in frame numbers: frames of which nothing arrived, nothing that could be shown, or
                             // one packet whose frame number was probably damaged
  uint64_t frames_unread = 0;      // finished, but discarded in favour of newer ones before poll() was called
  uint64_t frames_unbuffered = 0;  // the store had no memory for them
  uint32_t oversized_width = 0, oversized_height = 0;  // the latest picture that was too large; 0: there was none
  uint64_t concealed_bytes = 0;
  uint64_t streams = 0;         // how often a new stream began
  uint64_t outside = 0;         // from hosts outside the allowed ones; counted by the caller
  uint64_t stale = 0;           // too long in the socket's queue, and not from a trusted sender; counted by the caller
  uint64_t socket_dropped = 0;  // by the kernel, as the socket buffer was full (SO_RXQ_OVFL)

  void note_oversized(uint32_t width, uint32_t height) {
    oversized_width = width;
    oversized_height = height;
  }
};

struct ReceivedFrame {
  Bytes bytes;  // the whole frame; valid until the next poll() (on_datagram() does not touch it), or longer if the
                // store is asked by then (frame_store.h)
  size_t memory = 0;  // LentMemory::place of the memory that contains `bytes`
  StreamDesc stream;
  FrameTimes times;
  uint32_t buffer_id = 0;                  // 22 bits
  uint64_t id = 0;                         // unique within the session
  uint64_t number = 0;                     // counts the frames of this stream from 0, including lost ones
  bool new_stream = false;                 // the first frame of a stream with another description or sender
  uint64_t concealed_bytes = 0;            // 0: the frame is complete
  std::span<const ByteRange> concealed{};  // the concealed ranges in ascending order; valid as long as `bytes`
  // Coded streams (StreamDesc::coding) have these instead of `bytes`, which is empty: the payloads in order, valid as
  // long as `bytes` would be. A missing payload is empty. If the frame's end is missing, and so the number of payloads
  // is unknown, the list ends with the last one that arrived.
  std::span<const Bytes> payloads{};
  uint32_t payloads_missing = 0;  // a lower bound; 0: the frame is complete
};

// The selected sender. Requests go to `from`.
struct SelectedSender {
  uint64_t count = 0;  // senders selected so far: increases when another one takes over; 0: none yet
  uint32_t ssrc = 0;
  PeerAddress from{};      // source of its latest packet
  nanoseconds silence{};   // how long the previous sender had been silent when this one took over
  bool displaced = false;  // the previous sender was not silent: this one's sealed session began later
  bool returned = false;   // it had been selected before another host took over
};

// The frame that is delivered next, while its packets arrive.
struct FrameProgress {
  uint64_t id = 0;  // the ReceivedFrame::id that it will have
  // The whole frame; valid until the next call of on_datagram() or poll(), or for as long as the store says.
  Bytes bytes;
  size_t memory = 0;       // as ReceivedFrame::memory
  size_t ready_bytes = 0;  // contiguous from the beginning, in whole blocks or pixels; these bytes are final
  StreamDesc stream;       // that of the previous frame, which has the same shape
};

// The tiles of a coded stream that are wrong here, as its decoder reports them (TileRequest).
struct TileQuery {
  // Buffer id of the frame that the decoder's picture belongs to; nothing: there is no picture.
  std::optional<uint32_t> state{};
  bool all = false;                       // every tile
  std::span<const PacketRange> ranges{};  // tile numbers, at most TileRequest::kMaxRanges; empty only with `all`
};

// The frame of a coded stream that is delivered next, while its packets arrive: its payloads can already be decoded.
struct PayloadProgress {
  uint64_t id = 0;  // the ReceivedFrame::id that it will have, if it is delivered
  uint32_t buffer_id = 0;
  StreamDesc stream{};
  // In the order in which they arrived or were recovered by parity: the list grows at its end. The list is valid until
  // the next call of on_datagram() or poll(). The bytes neither move nor change as long as ReceivedFrame::payloads,
  // which are the same ones, or until poll() has reported a later frame.
  std::span<const Bytes> arrived{};
};

// The mouse cursor of the desktop that the stream shows.
struct ReceivedCursor {
  CursorPacket at{};  // ssrc 0: there is no cursor
  // Its image: `bytes` are all of it as the sender sent it, and `part` is meaningless. Nothing: the image has not
  // arrived yet.
  std::optional<CursorShapePacket> shape{};
};

// Not thread-safe. No input, however malformed, makes it throw, grow without bound or read out of bounds. It allocates
// only when a stream begins, when the frame size or the FEC changes, or when more frames are in progress than ever
// before. It holds one frame (or FEC block) for each frame in progress, usually two or three, and the last delivered
// one: at most kMostLoans, and at most 3 * max_frame_bytes in total, plus a picture if that is composed of tiles.
class ReceiveSession {
 public:
  static constexpr size_t kMostLoans = 17;  // blocks of the store's memory at a time

  // `store` holds the frames and must outlive the session; nullptr: the session has memory of its own. `helpers` (must
  // outlive the session too; nullptr: none) decrypt sealed datagrams ahead of time if expect() announces many.
  explicit ReceiveSession(const ReceiveSettings& settings = {}, FrameStore* store = nullptr,
                          WorkAhead* helpers = nullptr);
  ~ReceiveSession();
  // Announces the datagrams that on_datagram() will get next, in this order. They must not change until the next call
  // of expect(). Optional: it only moves decryption to the helpers.
  void expect(std::span<const Bytes> datagrams);
  // `wall_now` stamps FrameTimes; `now` drives the timeouts. Call poll() after each datagram: about seven finished
  // frames are queued, then the oldest are dropped (frames_unread). `from` distinguishes senders; without it all count
  // as one address.
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now, const PeerAddress& from = {});
  // The next finished frame in order. A frame is finished when it is complete; when a later frame is complete; when
  // reorder_grace has passed since its last packet, or since the second packet of a later frame; or when frame_timeout
  // has passed since its first packet. Missing bytes then come from the previously delivered frame (zero if there is
  // none).
  std::optional<ReceivedFrame> poll(SteadyTime now, WallTime wall_now);
  // The progress of the next frame. Nothing if its description is not known yet (a stream's first frame), or if its
  // bytes are not received in place (several tiles, UltraGrid's FEC).
  std::optional<FrameProgress> progress() const;
  // The same for a coded stream. Also nothing while the previous frame is unfinished, or it is unknown which one that
  // is.
  std::optional<PayloadProgress> payload_progress() const;
  // If it has changed since the last call. Valid until on_datagram().
  std::optional<ReceivedCursor> poll_cursor();
  // The selected sender's newest tile checksums, once. Valid until on_datagram().
  std::optional<TileSums> poll_tile_sums();
  // The next feedback datagram for the selected sender, valid until the next call. Call it after poll(), until there is
  // none.
  std::optional<Bytes> poll_feedback(SteadyTime now);
  // A datagram that requests tiles from the selected sender, valid until the next call; nothing if the sender takes no
  // such requests. The caller decides when and how often to ask. The request also names the newest frame of which
  // anything arrived.
  std::optional<Bytes> ask_for_tiles(const TileQuery& query, SteadyTime now);
  // When poll() or poll_feedback() must be called even if no datagram arrives. In the past: now. Nothing: there is no
  // deadline.
  std::optional<SteadyTime> next_deadline() const;
  const ReceiveCounters& counters() const;
  const SelectedSender& sender() const;
  const Refused& last_refusal() const;  // the latest refused datagram
  void count_socket_drops(uint64_t dropped);
  void count_outside(uint64_t datagrams);
  void count_stale(uint64_t datagrams);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
