#include "live/receiving_thread.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "compact/tables_ahead.h"
#include "live/backend_builder.h"
#include "texcast/frame.h"
#include "textures/stream_format.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestRead = std::chrono::milliseconds(100);
constexpr nanoseconds kPercentilesEvery = std::chrono::milliseconds(500);  // involves sorting, so not for every frame
constexpr nanoseconds kAfterTheEnd = std::chrono::seconds(10);  // by then every incomplete frame has timed out

// The sender of a capture does not answer NACKs.
transport::ReceiveSettings with_requests(transport::ReceiveSettings settings, const DatagramSource& source) {
  settings.request_lost = source.live();
  return settings;
}

}  // namespace

ReceivingThread::ReceivingThread(std::unique_ptr<DatagramSource> source, BlockPool& pool, OnFrame on_frame,
                                 const transport::ReceiveSettings& settings, OnComing on_coming,
                                 ReceptionEvents* events, PayloadDecoder* decoder, std::optional<std::string> device)
    : source_(std::move(source)),
      pool_(pool),
      on_frame_(std::move(on_frame)),
      on_coming_(std::move(on_coming)),
      events_(events),
      device_(std::move(device)),
      is_proven_(settings.keys != nullptr || !source_->live()),
      decoder_(decoder),
      session_(with_requests(settings, *source_), &pool),
      decoding_(
          !is_proven_, [this](QueuedFrame& queued) { return handle(queued); }, [this] { source_->wake(); },
          source_->live() ? [ahead = compact::TablesAhead()]() mutable { return ahead.make_next(); }
                          : std::function<bool()>()),
      thread_([this] { run(); }) {}

ReceivingThread::~ReceivingThread() {
  try {
    stop();
  } catch (const std::exception& error) {
    log_error("{}", error.what());
  }
}

void ReceivingThread::stop() {
  stopping_.store(true, std::memory_order_release);
  decoding_.close();
  source_->wake();
  if (thread_.joinable()) {
    thread_.join();
    decoding_.stop();
    source_->end();
    if (!failure_) failure_ = decoding_.failure();
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

StreamStatus ReceivingThread::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void ReceivingThread::run() {
  try {
    bool more = true;
    while (more && !stopping_.load(std::memory_order_acquire)) {
      const Instant before = source_->now();
      SteadyTime limit = before.steady + kLongestRead;
      limit = std::min(limit, next_query().value_or(limit));
      more = source_->read(std::min(session_.next_deadline().value_or(limit), limit), *this);
      const Instant after = source_->now();
      drain(after, after.steady);
      decoding_.rethrow_failure();
      if (!is_proven_) decoding_.pass(after.steady);
      while (const auto request = session_.poll_feedback(source_->now().steady))
        source_->send_back(session_.sender().from, *request);
      ask_for_tiles(source_->now().steady);
      if (const auto cursor = session_.poll_cursor(); cursor && events_ != nullptr)
        events_->on_cursor(cursor_.see(*cursor));
      report_coming();
      if (const uint64_t outside = source_->outside(); outside > outside_) {
        session_.count_outside(outside - outside_);
        outside_ = outside;
      }
      if (const uint64_t dropped = source_->dropped_by_kernel(); dropped > kernel_drops_) {
        session_.count_socket_drops(dropped - kernel_drops_);
        kernel_drops_ = dropped;
      }
      update_status();
    }
    if (!more) {
      const Instant last = source_->now();
      drain({last.steady + kAfterTheEnd, last.wall}, last.steady);
      decoding_.finish();
      ask_for_tiles(last.steady);
      update_status();
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  ended_.store(true, std::memory_order_release);
}

void ReceivingThread::on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
  if (is_stale(arrived, from)) return session_.count_stale(1);
  session_.on_datagram(datagram, arrived.steady, arrived.wall, from);
  // After each datagram: a batch may finish several frames.
  drain(arrived, arrived.steady);
}

// Datagrams that have waited in the socket's queue for more than two frame times of the selected sender delay newer
// ones, so they are dropped. A busy machine may delay this thread for a while, hence the lower bound. A selected sender
// that is trusted loses nothing, and nothing is dropped while no sender is selected.
bool ReceivingThread::is_stale(const Instant& arrived, const transport::PeerAddress& from) const {
  constexpr nanoseconds kShortest = std::chrono::milliseconds(250), kLongest = std::chrono::milliseconds(500);
  if (arrived.in_queue <= kShortest || is_proven_) return false;
  const transport::SelectedSender& sender = session_.sender();
  if (sender.count == 0 || (validation_.trusted() && from == sender.from)) return false;
  return arrived.in_queue > std::clamp(2 * validation_.frame_time(), kShortest, kLongest);
}

// Frames of a sender that is no longer selected are useless: those of the new one do not wait for them.
void ReceivingThread::note_sender() {
  if (session_.sender().count == selected_) return;
  selected_ = session_.sender().count;
  validation_.select(is_proven_);
  decoding_.select();
}

void ReceivingThread::drain(const Instant& now, SteadyTime arrived) {
  note_sender();
  if (const auto sums = session_.poll_tile_sums()) decoding_.put_sums(*sums);
  while (const auto frame = session_.poll(now.steady, now.wall)) pass_on(*frame, arrived);
}

void ReceivingThread::pass_on(const transport::ReceivedFrame& frame, SteadyTime now) {
  const Result<TextureDesc> texture = texture_of(frame);
  if (!texture) {
    report_unsupported(frame.stream, texture.error().message);
    ++unsupported_;
    const std::lock_guard lock(mutex_);
    status_.frames_unsupported = unsupported_;
    return;
  }
  const bool was_trusted = validation_.trusted();
  validation_.note(frame, now);
  if (validation_.trusted() && !was_trusted) decoding_.trust();
  const FrameOrigin origin{.texture = *texture,
                           .texture_bytes = texture_layout(*texture).total_bytes,
                           .arrived = now,
                           .from = session_.sender().from,
                           .counters = session_.counters(),
                           .unsupported = unsupported_};
  if (frame.stream.compact()) {
    decoding_.put(frame, origin);
    if (!source_->live()) decoding_.finish();  // nothing of a capture is dropped, and its audio is not read ahead
    return;
  }
  if (coming_id_ == frame.id) coming_ = {};
  FrameRef shared = share(frame.memory, frame.id, frame.bytes, *texture);
  if (!shared) shared = copy(frame, *texture);
  if (!shared) {
    ++not_copied_;
    return;
  }
  shared->concealed = frame.concealed_bytes > 0;
  shared->concealed_blocks = shared->concealed ? blocks_in(*texture, frame.concealed) : 0;
  // Queued behind the frames of a coded stream.
  if (decoding_.idle())
    hand_out(shared, frame, origin);
  else
    decoding_.put_ready(std::move(shared), frame, origin);
}

size_t ReceivingThread::handle(QueuedFrame& queued) {
  if (queued.needs_decoding()) return decode(queued);
  if (queued.ready) {
    hand_out(queued.ready, queued.frame, queued.origin);
    return 0;
  }
  const std::lock_guard lock(decoder_mutex_);
  if (decoder_ != nullptr) decoder_->compare(*queued.sums);
  note_decoded();
  return 0;
}

void ReceivingThread::hand_out(const FrameRef& frame, const transport::ReceivedFrame& received,
                               const FrameOrigin& origin) {
  frame->times = received.times;
  frame->available = received.times.available;
  if (!source_->live()) frame->times = {.pts = received.times.pts};
  frame->number = received.number;
  frame->arrived = origin.arrived;
  frame->new_stream = received.new_stream;
  frame->ready_bytes.store(origin.texture_bytes, std::memory_order_release);
  {
    const std::lock_guard lock(mutex_);
    if (frame->times.sent > WallTime{}) network_.add(received.times.first_packet - frame->times.sent);
    assemble_.add(received.times.assembled - received.times.first_packet);
    ++status_.frames;
    if (frame->concealed) ++status_.frames_concealed;
    status_.concealed_blocks += frame->concealed_blocks;
    status_.stream = received.stream;
    status_.at_last_frame = origin.counters;
    status_.unsupported_at_last_frame = origin.unsupported;
    status_.last_frame = steady_now();
    if (!status_.first_frame) status_.first_frame = status_.last_frame;
  }
  report_picture_sender(*frame, origin.from);
  on_frame_(frame, received.stream.fps);
}

void ReceivingThread::report_picture_sender(const PooledFrame& frame, const transport::PeerAddress& from) {
  if (events_ == nullptr || (picture_sender_ && picture_sender_->same_host(from))) return;
  const transport::ByteRange all{.begin = 0, .end = static_cast<uint32_t>(texture_layout(frame.desc).total_bytes)};
  if (frame.concealed_blocks > blocks_in(frame.desc, std::span(&all, 1)) / 2) return;
  picture_sender_ = from;
  events_->on_picture_sender(from);
}

// Logs once, and a few times if such streams alternate.
void ReceivingThread::report_unsupported(const transport::StreamDesc& stream, const std::string& why) {
  if (refused_ == stream) return;
  refused_ = stream;
  if (const auto line = refusals_.take(why, steady_now())) log_warning("{}", *line);
}

// Decodes a coded frame into memory of its own, and delivers it if there is memory and something to show.
size_t ReceivingThread::decode(QueuedFrame& queued) {
  FrameRef out = pool_.acquire(queued.origin.texture_bytes);
  if (out) {
    out->desc = queued.origin.texture;
    out->id = queued.frame.id;
  } else {
    ++not_copied_;
  }
  std::optional<uint32_t> wrong;
  size_t work = 0;
  bool asks = false;
  {
    const std::lock_guard lock(decoder_mutex_);
    if (decoder_ == nullptr) {
      decoder_ = &own_decoder_.emplace(Workers::suggested_threads(), backend_builder(device_));
      own_decoder_->give_samples_first();
    }
    const uint64_t before = decoder_->work();
    wrong = decoder_->decode(queued.frame, out);
    work = static_cast<size_t>(decoder_->work() - before);
    asks = decoder_->next_query().has_value();
    note_decoded();
  }
  if (asks && source_->live()) source_->wake();  // the receiving thread sends the request
  begins_ = begins_ || queued.frame.new_stream;
  if (!out || !wrong) return work;
  queued.frame.new_stream = std::exchange(begins_, false);
  out->concealed = *wrong > 0;
  out->concealed_blocks = *wrong;
  hand_out(out, queued.frame, queued.origin);
  return work;
}

// Requires decoder_mutex_.
void ReceivingThread::note_decoded() {
  if (!own_decoder_) return;
  const std::lock_guard lock(mutex_);
  status_.compact = own_decoder_->counts();
}

std::optional<SteadyTime> ReceivingThread::next_query() const {
  const std::unique_lock lock(decoder_mutex_, std::try_to_lock);
  return lock && decoder_ != nullptr && source_->live() ? decoder_->next_query() : std::nullopt;
}

void ReceivingThread::ask_for_tiles(SteadyTime now) {
  if (!source_->live()) return;
  const std::unique_lock lock(decoder_mutex_, std::try_to_lock);
  if (!lock || decoder_ == nullptr) return;
  while (const auto query = decoder_->query(now)) {
    const auto request = session_.ask_for_tiles(*query, now);
    if (!request) break;
    source_->send_back(session_.sender().from, *request);
  }
  note_decoded();
}

// A share in a frame of the session, which `texture` describes. A thread that was notified of the arriving frame may be
// reading its description, so that is written only once. Empty if it has since turned out to be another texture.
FrameRef ReceivingThread::share(size_t memory, uint64_t id, Bytes blocks, const TextureDesc& texture) {
  FrameRef frame = pool_.share(memory);
  if (frame->id == id) return frame->desc == texture ? frame : FrameRef();
  frame->desc = texture;
  // Not always all of the memory, which may contain parity too.
  frame->blocks = frame->blocks.subspan(static_cast<size_t>(blocks.data() - frame->blocks.data()), blocks.size());
  frame->id = id;
  return frame;
}

// The same in memory of its own: for a sender that has changed its bytes' meaning within a large frame.
FrameRef ReceivingThread::copy(const transport::ReceivedFrame& frame, const TextureDesc& texture) {
  FrameRef copy = pool_.acquire(frame.bytes.size());
  if (!copy) return {};
  copy->desc = texture;
  copy->id = frame.id;
  std::ranges::copy(frame.bytes, copy->blocks.begin());
  return copy;
}

// Reports a large frame while it arrives, so that its beginning is uploaded by the time the rest is there.
void ReceivingThread::report_coming() {
  if (!on_coming_) return;
  const auto progress = session_.progress();
  if (!progress || progress->bytes.size() < kLargeFrame) return;
  if (coming_id_ != progress->id) {
    coming_ = {};
    coming_id_ = progress->id;
    reported_bytes_ = 0;
  }
  if (!coming_ && progress->ready_bytes >= kGrowth) {
    const Result<TextureDesc> texture = texture_of(progress->stream);
    if (!texture || texture_layout(*texture).total_bytes != progress->bytes.size()) return;
    coming_ = share(progress->memory, progress->id, progress->bytes, *texture);
  }
  if (!coming_) return;
  coming_->ready_bytes.store(progress->ready_bytes, std::memory_order_release);
  if (progress->ready_bytes < reported_bytes_ + kGrowth) return;
  reported_bytes_ = progress->ready_bytes;
  on_coming_(coming_);
}

void ReceivingThread::update_status() {
  const SteadyTime now = steady_now();
  const bool percentiles = now >= next_percentiles_;
  if (percentiles) next_percentiles_ = now + kPercentilesEvery;
  report_refusal();
  report_takeover();
  report_too_large();
  const uint64_t undecoded = decoding_.dropped();
  const std::lock_guard lock(mutex_);
  status_.counters = session_.counters();
  status_.frames_unbuffered = status_.counters.frames_unbuffered + not_copied_;
  status_.frames_undecoded = undecoded;
  status_.refusal = session_.last_refusal();
  status_.sender = session_.sender().from;
  if (!percentiles) return;
  status_.network_ms[0] = network_.milliseconds(0.5);
  status_.network_ms[1] = network_.milliseconds(0.95);
  status_.assemble_ms[0] = assemble_.milliseconds(0.5);
  status_.assemble_ms[1] = assemble_.milliseconds(0.95);
}

// Once. For a capture that contains nothing else it is reported at the end.
void ReceivingThread::report_too_large() {
  const auto& c = session_.counters();
  if (reported_too_large_ || c.oversized_width == 0 || (!source_->live() && c.packets == 0)) return;
  reported_too_large_ = true;
  if (events_ != nullptr) events_->on_too_large(c);
}

void ReceivingThread::report_takeover() {
  const transport::SelectedSender& now = session_.sender();
  if (now.count != reported_sender_.count && reported_sender_.count > 0 && events_ != nullptr)
    events_->on_takeover(reported_sender_, now);
  reported_sender_ = now;
}

// Each time that the reason changes. If other packets are accepted, the refused ones are another sender's. For captures
// it is reported at the end.
void ReceivingThread::report_refusal() {
  if (!source_->live()) return;
  const transport::Refused& refused = session_.last_refusal();
  if (refused.why == reported_refusal_ || refused.why == transport::Refusal::replayed ||
      session_.counters().packets > 0)
    return;
  reported_refusal_ = refused.why;
  if (events_ != nullptr) events_->on_refused(refused);
}

}  // namespace texcast::stream
