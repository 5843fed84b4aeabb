// receive_session.h — datagrams in, frames out, with loss, reordering, duplicates and new senders dealt with.
// Pure: bytes and time are arguments.
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
#include "base/work_ahead.h"
#include "texcast/frame_times.h"
#include "transport/compact_packet.h"
#include "transport/crypto_choice.h"
#include "transport/cursor_packet.h"
#include "transport/frame_store.h"
#include "transport/own_packet.h"
#include "transport/peer_address.h"
#include "transport/stream.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

// The largest picture that is taken; memory is not asked for before that is known.
struct PictureLimit {
  int width = 65535, height = 65535;  // pixels, either side
  int64_t pixels = int64_t{1} << 32;
  // Of a header, which has sizes rounded up to multiples of 4.
  bool takes(int64_t w, int64_t h) const {
    return w <= (width + 3) / 4 * 4 && h <= (height + 3) / 4 * 4 && w * h <= pixels + 4 * (w + h);
  }
};

struct ReceiveSettings {
  size_t max_frame_bytes = size_t{256} << 20;  // larger ones are refused before anything is allocated
  PictureLimit max_picture{};                  // so are these
  // An unfinished frame is given out so long after its first packet at the latest, or after a frame time where that is
  // longer: a slow stream's packets are spread over it.
  nanoseconds frame_timeout = std::chrono::milliseconds(100);
  // How long a frame's holes are waited for once its end, or the frame after it, has arrived: reordering on the way.
  nanoseconds reorder_grace = std::chrono::milliseconds(3);
  // Another sender (SSRC, or address; of a sealed stream its session) takes over when the present one has been silent
  // for four frame times, at least 250 ms, at most this: a sender that is started again shows at once, two at a time do
  // not flicker.
  nanoseconds sender_timeout = std::chrono::seconds(2);
  // Whether lost packets are asked for where the sender says that it answers; poll_feedback() must then be sent to it.
  // Off where that is not possible.
  bool request_lost = false;
  int conceal_block_bytes = 16;  // holes are filled in whole units of this
  // With them, only what is encrypted under them in this one cipher is taken; without, only what is in the clear.
  std::shared_ptr<const WireKeys> keys{};
  CryptoChoice cipher = CryptoChoice::texcast;
  // How far the time in the first datagram of a sealed session may be from `wall_now`; 0: it is not looked at.
  nanoseconds max_age = std::chrono::seconds(60);
};

// One cause, one counter.
struct ReceiveCounters {
  uint64_t packets = 0;    // taken into a frame, or let go with one that there was no memory for
  uint64_t bytes = 0;      // payload of those
  uint64_t lost = 0;       // gaps in sequence numbers, counted when the frame they lie in is given out; goes down
                           // by one where a late packet fills one after all
  uint64_t reordered = 0;  // taken, but came after a later one
  uint64_t duplicate = 0;  // the same bytes again
  uint64_t late = 0;       // for a frame that was already given out
  uint64_t malformed = 0;  // no RTP, or a header that contradicts itself, its frame or the stream
  uint64_t foreign = 0;    // another payload type, another sender, or a tile of an arrangement that we do not show
  uint64_t oversized = 0;  // of a picture larger than ReceiveSettings::max_picture
  uint64_t beside = 0;     // of the pointer beside the picture, or of sums over its tiles
  uint64_t surplus = 0;    // parity, and data that parity had given back already, of frames that were whole without it
  uint64_t refused = 0;    // encrypted where we have no key, by another key or damaged, replayed, or in the clear where
                           // we have a key
  uint64_t recovered_parity = 0;          // lost packets that parity gave back (of UltraGrid's FEC, whose symbols are
                                          // no packets: the bytes given back, in packets of the frame's size)
  uint64_t requested = 0;                 // packets asked for again, each as often as it was
  uint64_t recovered_retransmission = 0;  // lost packets that came when they were asked for again
  uint64_t frames_complete = 0;
  uint64_t frames_concealed = 0;  // given out with holes filled from the frame before; compact ones: with holes
  uint64_t frames_recovered = 0;  // of the complete ones: those that parity was needed for
  uint64_t frames_lost = 0;  // gaps in frame numbers: nothing of them arrived (or one packet whose frame number is more
                             // likely damaged), or nothing that could be shown
  uint64_t frames_unread = 0;      // finished, but pushed out by newer ones before poll() was called
  uint64_t frames_unbuffered = 0;  // the store had no memory for them
  uint32_t oversized_width = 0, oversized_height = 0;  // of the latest picture that was too large; 0: none was
  uint64_t concealed_bytes = 0;
  uint64_t streams = 0;  // how often a new stream began
  uint64_t outside = 0;  // from hosts that are not listened to; counted by whoever gives the session its datagrams
  uint64_t stale = 0;    // too long in the socket's queue, and of nobody who is trusted; counted in the same way
  uint64_t socket_dropped = 0;  // by the kernel, for want of buffer (SO_RXQ_OVFL)

  void note_oversized(uint32_t width, uint32_t height) {
    oversized_width = width;
    oversized_height = height;
  }
};

struct ReceivedFrame {
  Bytes bytes;  // whole frame; valid until the next poll() (on_datagram() leaves it alone), and for longer where the
                // store is told by then (frame_store.h)
  size_t memory = 0;  // LentMemory::place of the memory that `bytes` are a part of
  StreamDesc stream;
  FrameTimes times;
  uint32_t buffer_id = 0;                  // 22 bits
  uint64_t id = 0;                         // of no other frame of the session
  uint64_t number = 0;                     // frames of this stream from 0, lost ones counted too
  bool new_stream = false;                 // the first of a stream with another description or sender
  uint64_t concealed_bytes = 0;            // 0: complete
  std::span<const ByteRange> concealed{};  // where those are, in order; valid as long as `bytes`
  // Of a compact stream (StreamDesc::coding) instead of `bytes`, which is empty, and valid as long: what came, in
  // order. One that is missing is empty. Where the end of a frame is missing, and how many it has is not known, the
  // last of these is the last that came.
  std::span<const Bytes> payloads{};
  uint32_t payloads_missing = 0;  // at least so many; 0: complete
};

// Who is listened to. Requests go to `from`.
struct FollowedSender {
  uint64_t count = 0;  // senders followed so far: goes up when another takes over; 0: nobody yet
  uint32_t ssrc = 0;
  PeerAddress from{};      // of its latest packet
  nanoseconds silence{};   // of the one before, when this one took over
  bool displaced = false;  // the one before was not silent: this one's sealed session began later
  bool returned = false;   // it was followed before, until another host took over
};

// The frame that will be given out next, while it is still coming.
struct FrameProgress {
  uint64_t id = 0;         // ReceivedFrame::id, once it is given out
  Bytes bytes;             // all of it, valid until the next call of on_datagram() or poll(), or as the store says
  size_t memory = 0;       // as ReceivedFrame::memory
  size_t ready_bytes = 0;  // without a hole from its beginning, in whole blocks or pixels: these are final
  StreamDesc stream;       // that of the frame before, whose shape it has
};

// Which tiles of a compact stream are not right here; the coder's matter (TileRequest).
struct TileQuery {
  std::optional<uint32_t> state{};        // buffer id of the frame that what is there is of; nothing: there is nothing
  bool all = false;                       // every tile
  std::span<const PacketRange> ranges{};  // of tile numbers, at most TileRequest::kMaxRanges; none only with `all`
};

// Of a compact stream: the frame that will be given out next, while it is still coming, so that its payloads can be
// decoded meanwhile.
struct PayloadProgress {
  uint64_t id = 0;  // ReceivedFrame::id, once it is given out; it may also come to nothing
  uint32_t buffer_id = 0;
  StreamDesc stream{};
  // In the order in which they came, or were given back by parity: the list grows at its end. It is valid until the
  // next call of on_datagram() or poll(); the bytes stay where they are and as they are as long as
  // ReceivedFrame::payloads, which are the same, or until poll() has said something of a later frame.
  std::span<const Bytes> arrived{};
};

// The pointer of the desktop that the stream shows.
struct ReceivedCursor {
  CursorPacket at{};  // of no stream (ssrc 0): there is none
  // What it looks like, all of it: `bytes` are the sender's, and `part` means nothing. Nothing: that has not come yet.
  std::optional<CursorShapePacket> shape{};
};

// Not thread-safe. No bytes, however wrong, make it throw, grow without bound or read past their end. Allocates only
// when a stream begins, its frame size or FEC changes, or more frames are in progress at once than ever before. Memory:
// a frame's (or its FEC block's) size for each frame in progress (two or three as a rule) and for the one given out
// last, at most kMostLoans and at most 3 * max_frame_bytes for all, and a picture where it is put together from tiles.
class ReceiveSession {
 public:
  static constexpr size_t kMostLoans = 17;  // of the store's memory, at a time

  // Frames lie in memory of the store, which must outlive the session; without one in memory of the session's own.
  // `helpers` (which must outlive it too; nullptr: none) open sealed datagrams, where expect() tells of many.
  explicit ReceiveSession(const ReceiveSettings& settings = {}, FrameStore* store = nullptr,
                          WorkAhead* helpers = nullptr);
  ~ReceiveSession();
  // Datagrams that on_datagram() will be given next, in this order; they stay as they are until the next call of this.
  // May be left out, and changes nothing but who deciphers them.
  void expect(std::span<const Bytes> datagrams);
  // `wall_now` stamps FrameTimes; `now` drives the timeouts. Call poll() after each one: about seven finished frames
  // wait for it, then the oldest are dropped (frames_unread). `from` tells senders apart; unknown: they all count as
  // one address.
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now, const PeerAddress& from = {});
  // The next finished frame in order. A frame is finished when all its bytes are there; when a later frame is; when
  // reorder_grace has passed since its last packet or two of a later frame came; when frame_timeout has passed since
  // its first packet. Its holes then hold the bytes of the frame given out before (zero where there was none).
  std::optional<ReceivedFrame> poll(SteadyTime now, WallTime wall_now);
  // How far the next frame is; nothing where that is not known yet (the first frame of a stream), or where its bytes do
  // not come as they are (several tiles, UltraGrid's FEC).
  std::optional<FrameProgress> progress() const;
  // The same of a compact stream; nothing also where the frame before it is not over, or nobody knows which that is.
  std::optional<PayloadProgress> payload_progress() const;
  // Where it has changed since the last call; valid until on_datagram().
  std::optional<ReceivedCursor> poll_cursor();
  // The newest sums over tiles from the stream's sender, once. Valid until on_datagram().
  std::optional<TileSums> poll_tile_sums();
  // The next datagram for the stream's sender, valid until the next call; call until there is none, after poll().
  std::optional<Bytes> poll_feedback(SteadyTime now);
  // A datagram for the stream's sender that says so, valid until the next call; nothing where it takes none. When to
  // ask, and how often, is the caller's matter. The newest frame that is heard of is told with it.
  std::optional<Bytes> ask_for_tiles(const TileQuery& query, SteadyTime now);
  // When poll() or poll_feedback() has something to do even if no datagram comes: in the past when it has now, none
  // when it has not.
  std::optional<SteadyTime> next_deadline() const;
  const ReceiveCounters& counters() const;
  const FollowedSender& sender() const;
  const Refused& last_refusal() const;  // of the latest datagram that was refused
  void count_socket_drops(uint64_t dropped);
  void count_outside(uint64_t datagrams);
  void count_stale(uint64_t datagrams);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
