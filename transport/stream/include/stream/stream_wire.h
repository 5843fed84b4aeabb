// stream_wire.h — how the frames of a stream become packets: a packetizer, and what belongs to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/work_ahead.h"
#include "live/destinations.h"
#include "stream/texture_sender.h"
#include "textures/stream_format.h"
#include "transport/compact_packetizer.h"
#include "transport/feedback_opener.h"
#include "transport/packetizer.h"
#include "transport/retransmit_store.h"

namespace texcast::stream {

// Called with a receiver's request for tiles and the receiver's address; its spans are valid during the call. It runs
// on the sending thread: it must return soon, and may not call the sender.
using OnTileRequest = std::function<void(const transport::PeerAddress& from, const transport::TileRequest&)>;

// Exactly one of the two packetizers is set.
struct StreamWire {
  std::unique_ptr<WorkAhead> helpers{};                     // threads of the raw packetizer; nullptr: none
  std::unique_ptr<transport::FramePacketizer> plain{};      // raw stream
  std::unique_ptr<transport::CompactPacketizer> compact{};  // coded stream
  std::unique_ptr<transport::RetransmitStore> store{};      // answers NACKs; nullptr: they are not answered
  transport::FeedbackOpener opener;
  OnTileRequest on_tile_request{};
};

// The number of threads that compute parity and encrypt beside the sending thread, for frames of this size: none if one
// thread has time to spare, and few enough to leave a processor each to the sending thread and the encoder.
int helper_threads(size_t frame_bytes, double fps, const transport::WireChoice& wire);

// The stream's part of a coded stream, as StreamDesc has it.
struct CompactStream {
  uint8_t coding = kLosslessCoding;
  uint32_t coder = 0;
  OnTileRequest on_tile_request{};
};

// NACKs are answered if all destinations are unicast. Throws Error{usage} if the settings contradict each other.
StreamWire raw_wire(const Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                    const StreamIdentity& identity);
// The same for a coded stream. Tile requests are accepted from unicast destinations, and from any address if a
// destination is a group and Destinations was created for a coded stream.
StreamWire coded_wire(const Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                      const StreamIdentity& identity, const CompactStream& compact);

}  // namespace texcast::stream
