#include "incoming_stream.h"

#include <algorithm>
#include <utility>

namespace texcast::gstreamer {

void IncomingStream::open(Make make, Deferred<StreamReceiver>::OnFailure on_failure, Now now, size_t most_frames) {
  uint64_t attempt = 0;
  {
    const std::lock_guard lock(queue_->mutex);
    attempt = ++queue_->attempt;
    queue_->now = std::move(now);
    queue_->timeline = {};
    queue_->frames.clear();
    queue_->most_frames = std::max<size_t>(most_frames, 1);
    queue_->last_arrival = steady_now();
    queue_->is_outage_reported = false;
    queue_->sound.clear();
  }
  receiver_.open(
      [queue = queue_, attempt, make = std::move(make)] {
        return make([queue, attempt](const ReceivedTexture& received) { queue->push(received, attempt); },
                    [queue, attempt](const ReceivedSound& received) { queue->push_sound(received, attempt); });
      },
      std::move(on_failure));
}

void IncomingStream::close() {
  receiver_.close();
  std::deque<IncomingFrame> unwanted;
  Now now;  // it may hold the last share of an element: it ends after the lock
  const std::lock_guard lock(queue_->mutex);
  ++queue_->attempt;
  unwanted.swap(queue_->frames);
  std::swap(now, queue_->now);
}

void IncomingStream::set_latency(nanoseconds latency) {
  const std::lock_guard lock(queue_->mutex);
  queue_->latency = latency;
}

void IncomingStream::interrupt(bool on) {
  const std::lock_guard lock(queue_->mutex);
  queue_->is_interrupted = on;
  if (!on) queue_->last_arrival = std::max(queue_->last_arrival, steady_now());
  queue_->changed.notify_all();
}

void IncomingStream::Queue::push(const ReceivedTexture& received, uint64_t of_attempt) {
  const std::lock_guard lock(mutex);
  if (attempt != of_attempt) return;
  last_arrival = steady_now();
  is_outage_reported = false;
  if (received.new_stream) ++streams;
  const bool follows_loss = !received.new_stream && received.number != next_number;
  next_number = received.number + 1;
  const auto time_now = now ? now() : std::nullopt;
  if (!time_now) return;
  if (frames.size() >= most_frames) drop_first();
  frames.push_back({.texture = received.texture,
                    .memory = received.keep(),
                    .time = timeline.place(received.times.pts, *time_now, received.new_stream),
                    .available = received.times.available,
                    .fps = received.fps,
                    .stream = streams,
                    .is_concealed = received.concealed_blocks > 0,
                    .follows_loss = follows_loss});
  frames.back().texture.picture = nullptr;
  changed.notify_all();
}

void IncomingStream::Queue::push_sound(const ReceivedSound& received, uint64_t of_attempt) {
  const std::lock_guard lock(mutex);
  const auto time = timeline.at(received.pts);
  if (attempt == of_attempt && time) sound.push(received, *time);
}

void IncomingStream::Queue::drop_first() {
  frames.pop_front();
  ++dropped;
  has_dropped = true;
}

// If downstream is slow, the newest frames are shown, without adding to the latency.
void IncomingStream::Queue::skip_late() {
  const auto time_now = now ? now() : std::nullopt;
  if (!time_now) return;
  while (frames.size() > 1 && frames.front().time + latency < *time_now) drop_first();
}

IncomingStream::Taken IncomingStream::take(IncomingFrame& frame, nanoseconds timeout) {
  std::unique_lock lock(queue_->mutex);
  Queue& q = *queue_;
  const auto has_news = [&q] { return q.is_interrupted || !q.frames.empty(); };
  while (!has_news()) {
    if (timeout <= nanoseconds(0) || q.is_outage_reported) {
      q.changed.wait(lock);
      continue;
    }
    const SteadyTime limit = q.last_arrival + timeout;
    if (steady_now() >= limit) {
      q.is_outage_reported = true;
      return Taken::timeout;
    }
    q.changed.wait_until(lock, limit);
  }
  if (q.is_interrupted) return Taken::interrupted;
  q.skip_late();
  frame = std::move(q.frames.front());
  q.frames.pop_front();
  frame.follows_loss = frame.follows_loss || q.has_dropped;
  q.has_dropped = false;
  return Taken::frame;
}

uint64_t IncomingStream::dropped() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->dropped;
}

std::optional<StreamReceiverStatus> IncomingStream::status() {
  return receiver_.with([](StreamReceiver& receiver) { return receiver.status(); });
}

std::vector<std::string> IncomingStream::send_to() {
  return receiver_.with([](StreamReceiver& receiver) { return receiver.send_to(); })
      .value_or(std::vector<std::string>());
}

}  // namespace texcast::gstreamer
