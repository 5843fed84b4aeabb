// receive_out.cpp — slots out as frames, in order, holes filled.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

std::optional<ReceivedFrame> ReceiveSession::State::poll(SteadyTime now, WallTime wall_now) {
  if (now >= next_timeout) expire(now, wall_now);
  while (finished_waiting) {
    Slot* slot = next_out();
    if (!slot) {
      finished_waiting = false;
      break;
    }
    if (slot->assembled == WallTime{}) slot->assembled = wall_now;
    if (hangs_in_the_air(*slot)) {
      slot->phase = Slot::Phase::free;
      update_deadline();
      continue;
    }
    return give(*slot);
  }
  return std::nullopt;
}

void ReceiveSession::State::finish(Slot& slot, WallTime wall_now) {
  slot.phase = Slot::Phase::finished;
  slot.assembled = wall_now;
  if (!finished_waiting) finished_at = slot.begun;
  finished_waiting = true;
  update_deadline();
}

void ReceiveSession::State::expire(SteadyTime now, WallTime wall_now) {
  for (Slot& slot : slots) {
    if (slot.phase != Slot::Phase::filling || now < slot.deadline) continue;
    if (hangs_in_the_air(slot))
      slot.phase = Slot::Phase::free;
    else
      finish(slot, wall_now);
  }
  update_deadline();
}

void ReceiveSession::State::update_deadline() {
  next_timeout = SteadyTime::max();
  for (const Slot& slot : slots)
    if (slot.phase == Slot::Phase::filling) next_timeout = std::min(next_timeout, slot.deadline);
}

// The oldest slot, if it is finished or one after it is.
ReceiveSession::State::Slot* ReceiveSession::State::next_out() {
  Slot* oldest = nullptr;
  bool any_finished = false;
  for (Slot& slot : slots) {
    if (slot.phase != Slot::Phase::filling && slot.phase != Slot::Phase::finished) continue;
    any_finished |= slot.phase == Slot::Phase::finished;
    if (!oldest || slot.order < oldest->order) oldest = &slot;
  }
  return any_finished ? oldest : nullptr;
}

// One packet, and none of the frame just before it: more likely a damaged frame number than a frame. Giving it out
// would make all true frames up to its number late.
bool ReceiveSession::State::hangs_in_the_air(const Slot& slot) const {
  return slot.packets <= 1 && !slot.data.complete() && slot.run == passed_run && slot.order > passed_order + 1;
}

StreamDesc ReceiveSession::State::describe(const Slot& slot) const {
  const Shape& shape = slot.shape;
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

// The frame is over: what is missing of it will not be waited for.
void ReceiveSession::State::pass(const Slot& slot) {
  if (slot.run == passed_run && slot.order > passed_order) counters.frames_lost += slot.order - passed_order - 1;
  passed_order = slot.order;
  passed_run = slot.run;
  passed[slot.order % passed.size()] = {slot.order, slot.data.complete()};
  if (slot.ssrc == ssrc) sequence.settle(slot.last_number);
  counters.lost = sequence.lost();
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

  if (slot.data.complete()) {
    ++counters.frames_complete;
  } else {
    const auto unit = static_cast<size_t>(std::max(settings.conceal_block_bytes, 1));
    frame.concealed_bytes = slot.data.conceal(new_stream ? Bytes{} : shown->data.bytes(), unit);
    ++counters.frames_concealed;
    frame.concealed = slot.data.concealed();
    counters.concealed_bytes += frame.concealed_bytes;
  }
  frame.bytes = slot.data.bytes();

  if (shown) shown->phase = Slot::Phase::free;
  shown = &slot;
  shown_shape = slot.shape;
  shown_desc = desc;
  shown_ssrc = slot.ssrc;
  shown_timestamp = slot.timestamp;
  return frame;
}

}  // namespace texcast::transport
