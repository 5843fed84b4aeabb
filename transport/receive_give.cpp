// receive_give.cpp — a slot's bytes as a frame: holes filled, described.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

StreamDesc ReceiveSession::State::describe(const Slot& slot) const {
  const PacketShape& shape = slot.tiles[0].shape;
  StreamDesc desc{.fourcc = shape.fourcc, .width = shape.width, .height = shape.height, .fps = shape.fps};
  if (slot.extension) {
    const StreamExtension& e = *slot.extension;
    desc.width = e.width;
    desc.height = e.height;
    desc.has_extension = true;
    desc.texture_format = e.texture_format;
    desc.matrix = e.matrix;
    desc.range = e.range;
    desc.primaries = e.primaries;
    desc.transfer = e.transfer;
    return desc;
  }
  // Every packet with the extension was lost: the stream is what it was, if the rest says so too.
  const bool same = shown_shape && slot.ssrc == shown_ssrc && shown_shape->fourcc == shape.fourcc &&
                    shown_shape->width == shape.width && shown_shape->height == shape.height &&
                    shown_shape->fps == shape.fps && shown_shape->interlacing == shape.interlacing;
  return same ? shown_desc : desc;
}

ReceivedFrame ReceiveSession::State::give(Slot& slot) {
  const bool was_filling = slot.phase == Slot::Phase::filling;
  slot.phase = Slot::Phase::given;
  if (was_filling) update_deadline();
  const StreamDesc desc = describe(slot);
  const bool new_stream = !shown || slot.ssrc != shown_ssrc || slot.run != passed_run || desc != shown_desc;
  pass(slot);

  ReceivedFrame frame;
  frame.stream = desc;
  frame.buffer_id = slot.buffer_id;
  frame.new_stream = new_stream;
  if (new_stream) {
    ++counters.streams;
    stream_begin = slot.order;
    ticks = 0;
  } else {
    ticks += static_cast<int32_t>(slot.timestamp - shown_timestamp);
  }
  frame.number = slot.order - stream_begin;
  frame.times.pts = nanoseconds(ticks * 100'000 / 9);
  if (slot.extension) {
    frame.times.available = slot.extension->available;
    frame.times.encoded = slot.extension->encoded;
    frame.times.sent = slot.extension->sent;
  }
  frame.times.first_packet = slot.first_packet;
  frame.times.assembled = slot.assembled;

  Reassembler& data = slot.tiles[0].data;
  if (slot.complete()) {
    ++counters.frames_complete;
  } else {
    const auto unit = static_cast<size_t>(std::max(settings.conceal_block_bytes, 1));
    frame.concealed_bytes = data.conceal(new_stream ? Bytes{} : shown->tiles[0].data.bytes(), unit);
    ++counters.frames_concealed;
    frame.concealed = data.concealed();
    counters.concealed_bytes += frame.concealed_bytes;
  }
  frame.bytes = data.bytes();

  if (shown) shown->phase = Slot::Phase::free;
  shown = &slot;
  shown_shape = slot.tiles[0].shape;
  shown_desc = desc;
  shown_ssrc = slot.ssrc;
  shown_timestamp = slot.timestamp;
  return frame;
}

}  // namespace texcast::transport
