#include "stream/compact_sender.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/ensure.h"
#include "bitrate_control.h"
#include "coding_device.h"
#include "texcast/error.h"
#include "tile_requests.h"
#include "tile_sums_sender.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestPause = std::chrono::seconds(1);
constexpr nanoseconds kBuildPause = std::chrono::milliseconds(10);  // while kernels are built and nothing is sent
constexpr double kUsualRefreshSeconds = 5;
constexpr uint32_t kMuch = 4;              // a change of more than this part of the tiles, 1/4, is a large one
constexpr uint64_t kNewRehearsals = 2;     // an intra frame, and the first with motion
constexpr double kLeastFrameTimes = 0.01;  // between two frames that come at the same time by the clock
// With a bit rate, a device codes in two batches: it needs about as long for half of a frame's tiles as for all.
constexpr int kDeviceBatchesAtRate = 2;

double refresh_frames(const Destinations& destinations, const CompactSettings& compact, double fps) {
  if (compact.refresh_seconds > 0) return compact.refresh_seconds * fps;
  return destinations.real_time() && !destinations.all_unicast() ? kUsualRefreshSeconds * fps : 0;
}

std::optional<compact::RdParameters> constant_target(const CompactSettings& settings) {
  if (!settings.crf || settings.bitrate) return std::nullopt;
  return compact::with_refinements(compact::rd_parameters(*settings.crf), kRefinements);
}

CodingBudget coding_budget(const SendSettings& settings, size_t frame_bytes) {
  const auto bytes = static_cast<double>(frame_bytes);
  const double frame_seconds = 1 / std::max(settings.fps, 1.0);
  double sending_seconds = frame_seconds * std::clamp(settings.spread, 0.0, 1.0);
  if (settings.rate_bits_per_s && *settings.rate_bits_per_s > 0)
    sending_seconds = std::max(sending_seconds, bytes * 8 / *settings.rate_bits_per_s);
  return {frame_seconds, sending_seconds, bytes};
}

// A device codes lossy streams only if the texture has planes of channels, and opaque sub-blocks not at all.
std::optional<DeviceInfo> coding_device(const CompactSettings& settings, const compact::TileGrid& grid) {
  const bool is_refused = grid.is_opaque() || (settings.is_lossy() && !grid.has_planes_of_channels());
  return is_refused ? std::nullopt : settings.device;
}

bool needs_sums(const Destinations& destinations, const SendSettings& settings) {
  return destinations.real_time() && destinations.all_unicast() &&
         settings.wire.crypto == transport::CryptoChoice::none;
}

}  // namespace

CompactSender::CompactSender(Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                             AutoResetEvent& progress, const StreamIdentity& identity, const Clock& clock)
    : timing_{.clock = clock, .real_time = destinations.real_time(), .frame_time = frame_period(settings.fps)},
      progress_(progress),
      workers_(settings.compact.threads >= 0 ? settings.compact.threads : Workers::suggested_threads()),
      grid_(texture),
      given_(settings),
      settings_(within_line_rate(settings)),
      target_(constant_target(settings_)),
      device_(std::make_unique<CodingDevice>(coding_device(settings_, grid_), grid_)),
      budget_(coding_budget(settings, grid_.texture_bytes())),
      deadline_(timing_.frame_time),
      refresh_(grid_, {.refresh_frames = refresh_frames(destinations, settings.compact, settings.fps)}),
      requests_(std::make_unique<TileRequests>(grid_, identity.numbers->next_buffer_id(),
                                               destinations.receivers_at_most() - destinations.addresses())),
      sums_(needs_sums(destinations, settings)
                ? std::make_unique<TileSumsSender>(grid_, identity.numbers->ssrc(), identity.numbers->next_buffer_id())
                : nullptr),
      counts_(identity.so_far.compact.value_or(CompactSent{})),
      before_(counts_),
      sender_(make_compact_sender(destinations, settings, texture,
                                  {.coding = coding_of(settings, texture.format),
                                   .on_tile_request = [this](const transport::PeerAddress& from,
                                                             const transport::TileRequest& r) { on_request(from, r); }},
                                  sent_, identity)),
      ipv6_(destinations.ipv6()),
      bitrate_(settings_.bitrate ? std::make_unique<BitrateControl>(settings, settings_, line(), grid_, *sender_)
                                 : nullptr),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) {
                {
                  const std::lock_guard lock(mutex_);
                  frame_.reset();
                }
                progress_.set();
              }) {
  const std::lock_guard lock(mutex_);
  counts_.crf.reset();
  counts_.rate_bits_per_s.reset();
}

CompactSender::~CompactSender() = default;

PacketLine CompactSender::line() const { return {.ipv6 = ipv6_, .payload_bytes = sender_->max_payload()}; }

void CompactSender::set_quality(std::optional<double> crf, std::optional<Bitrate> bitrate) {
  ENSURE(given_.compact.is_lossy() && (crf || bitrate));
  SendSettings settings = given_;
  settings.compact.crf = crf;
  settings.compact.bitrate = bitrate;
  const CompactSettings wanted = within_line_rate(settings);
  if (wanted.bitrate) BitrateControl::check(settings, wanted, line());
  const std::lock_guard lock(mutex_);
  wanted_ = wanted;
}

// On the coding thread, before a frame.
void CompactSender::take_quality() {
  {
    const std::lock_guard lock(mutex_);
    if (!wanted_) return;
    settings_ = *std::exchange(wanted_, std::nullopt);
    counts_.crf.reset();
    counts_.rate_bits_per_s.reset();
  }
  target_ = constant_target(settings_);
  if (!settings_.bitrate) {
    bitrate_.reset();
    sender_->limit(std::nullopt);
  } else if (bitrate_) {
    bitrate_->change(settings_, *sender_);
  } else {
    bitrate_ = std::make_unique<BitrateControl>(given_, settings_, line(), grid_, *sender_);
  }
}

bool CompactSender::idle() {
  thread_.rethrow_failure();
  const std::lock_guard lock(mutex_);
  return !frame_;
}

bool CompactSender::drained() {
  thread_.rethrow_failure();
  {
    const std::lock_guard lock(mutex_);
    if (frame_ || in_hand_) return false;
  }
  return sender_->idle();
}

void CompactSender::take(const EncodedFrame& frame, Task task) {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(!frame_);
    frame_ = frame;
    task_ = task;
    if (task == Task::send) in_hand_ = true;
  }
  sent_.set();
}

void CompactSender::release_frame() {
  {
    const std::lock_guard lock(mutex_);
    frame_.reset();
  }
  progress_.set();
}

void CompactSender::rehearse(const EncodedFrame& frame) { take(frame, Task::rehearse); }
void CompactSender::code_ahead(const EncodedFrame& frame) { take(frame, Task::code_ahead); }
void CompactSender::start(const EncodedFrame& frame) { take(frame, Task::send); }

Rehearsal CompactSender::rehearsal() {
  const std::lock_guard lock(mutex_);
  return rehearsal_;
}

void CompactSender::start(const EncodedFrame&, size_t) { ENSURE(takes_bands()); }
void CompactSender::advance(size_t) { ENSURE(takes_bands()); }
void CompactSender::finish(WallTime) { ENSURE(takes_bands()); }

SentStatus CompactSender::status() const {
  SentStatus status = sender_->status();
  const std::lock_guard lock(mutex_);
  status.compact = counts_;
  status.compact->refused += requests_->refused();
  return status;
}

// Called by the paced sender's thread.
void CompactSender::on_request(const transport::PeerAddress& from, const transport::TileRequest& request) {
  if (requests_->add(from, request)) progress_.set();
}

bool CompactSender::wants_frame() const {
  const std::lock_guard lock(mutex_);
  return !frame_ && (repairs_wait_ || requests_->is_waiting());
}

double CompactSender::Timing::frame_times_until(SteadyTime begun, nanoseconds pts) {
  const auto previous = std::exchange(coded_at, begun);
  const nanoseconds previous_pts = std::exchange(coded_pts, pts);
  if (!previous) return 1;
  const nanoseconds since = real_time ? begun - *previous : pts - previous_pts;
  return in_seconds(since) / in_seconds(frame_time);
}

void CompactSender::make_encoder() {
  const size_t most_slice_bytes = compact::slice_room(sender_->max_payload());
  encoder_.emplace(grid_.texture(),
                   compact::FrameEncoderSettings{.most_slice_bytes = most_slice_bytes,
                                                 .lossy = settings_.is_lossy(),
                                                 .effort = compact::search_effort(settings_.quality),
                                                 .transform = has_transform(settings_, grid_.texture().format),
                                                 .batches = device_->is_there() && settings_.is_lossy()
                                                                ? kDeviceBatchesAtRate
                                                                : compact::FrameEncoderSettings{}.batches},
                   workers_);
  if (!settings_.is_lossy()) {
    device_->build_lossless(most_slice_bytes);
    is_device_begun_ = true;
  }
  for (int i = 0; i < 2; ++i) writers_.emplace_back(grid_, sender_->max_payload());
}

void CompactSender::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { sent_.set(); });
  make_encoder();
  while (!stop.stop_requested()) {
    std::optional<EncodedFrame> frame;
    Task task{};
    {
      const std::lock_guard lock(mutex_);
      frame = frame_;
      task = task_;
    }
    if (!frame) {
      const bool is_building = frames_ == 0 && device_->is_building();
      sent_.wait_until(steady_now() + (is_building ? kBuildPause : kLongestPause));
      look_at_rehearsal();
      progress_.set();  // the last frame may have left
    } else if (task == Task::rehearse) {
      code_unsent(*frame);
    } else if (task == Task::code_ahead) {
      code_first(*frame);
    } else if (ahead_) {
      send_first(frame->times, stop);
    } else {
      code(*frame, stop);
    }
  }
}

// Lossy kernels depend on the picture.
void CompactSender::give_device(const EncodedFrame& frame) {
  if (!std::exchange(is_device_begun_, true))
    device_->build_lossy(frame.texture.picture, has_transform(settings_, grid_.texture().format));
  device_->hand_over_to(*encoder_);
}

// At first without a limit of time, so that all tiles are coded, and the device is checked with them. Then with that of
// the stream, so that the encoder and the budget learn how fast this machine is. Every other frame is intra.
void CompactSender::code_unsent(const EncodedFrame& frame) {
  const bool is_new = rehearsed_ < kNewRehearsals || device_->is_built() || encoder_->is_checking();
  const bool is_intra = rehearsed_ % 2 == 0;
  give_device(frame);
  if (is_intra) encoder_->forget();
  compact::FrameToEncode unsent{.texture = frame.texture.blocks, .picture = frame.texture.picture};
  if (settings_.is_lossy())
    unsent.target = target_.value_or(compact::rd_parameters(settings_.crf.value_or(compact::kFinestCrf)));
  const SteadyTime now = timing_.clock.now(), deadline = deadline_.of(now, now);
  if (settings_.is_lossy() && timing_.real_time && !is_new)
    unsent.seconds_left = [&clock = timing_.clock, deadline] { return in_seconds(deadline - clock.now()); };
  encoder_->begin(unsent);
  const SteadyTime analysed = timing_.clock.now();
  compact::PayloadWriter& writer = writers_[rehearsed_ % 2];
  writer.begin();
  while (encoder_->more()) writer.add(encoder_->next());
  writer.end();
  const SteadyTime coded = timing_.clock.now();
  const auto slices = encoder_->end();
  // How much motion saves depends on the real frames.
  if (!is_new && is_intra) learn(coded - analysed, slices);
  if (!is_intra) deadline_.learn_ending(timing_.clock.now() - coded);
  ++rehearsed_;
  was_settled_ = !is_new;
  look_at_rehearsal();
  release_frame();
}

void CompactSender::look_at_rehearsal() {
  const Rehearsal now = device_->is_building()                 ? Rehearsal::waits
                        : was_settled_ && !device_->is_built() ? Rehearsal::over
                                                               : Rehearsal::again;
  const std::lock_guard lock(mutex_);
  rehearsal_ = now;
}

// The stream begins as if nothing had been rehearsed.
void CompactSender::forget_rehearsals() {
  if (std::exchange(rehearsed_, 0) > 0) encoder_->forget();
}

// Without a limit of time.
void CompactSender::code_first(const EncodedFrame& frame) {
  forget_rehearsals();
  take_quality();
  give_device(frame);
  compact::PayloadWriter& writer = begin_payloads(timing_.clock.now(), 1);
  begin(frame, 1, nullptr);
  ready_.clear();
  const auto keep = [&](std::span<const Bytes> payloads) {
    ready_.insert(ready_.end(), payloads.begin(), payloads.end());
  };
  while (encoder_->more()) keep(writer.add(encoder_->next()));
  keep(writer.end());
  ahead_ = encoder_->end();
  release_frame();
}

void CompactSender::send_first(const FrameTimes& times, const std::stop_token& stop) {
  const SteadyTime begun = timing_.clock.now();
  timing_.frame_times_until(begun, times.pts);
  bool leaves = false;
  give({}, times, leaves);
  if (leaves) sender_->finish(times.encoded);
  end_frame(*std::exchange(ahead_, std::nullopt), begun, 1);
  frame_is_over(times, {}, leaves, stop);
}

compact::PayloadWriter& CompactSender::begin_payloads(SteadyTime begun, double frame_times) {
  compact::PayloadWriter& writer = writers_[frames_ % 2];
  writer.begin(frames_ > 0 ? &refresh_.history() : nullptr);
  if (bitrate_) {
    bitrate_->update(begun, *sender_, timing_.real_time);
    bitrate_->control().begin(std::max(frame_times, kLeastFrameTimes), writer.history_bytes());
  }
  return writer;
}

// Coded payloads leave while the rest is still being coded, unless the previous frame is still leaving. If coding takes
// longer than it saves (a film on a slow processor), frames in which much changed are sent raw.
void CompactSender::code(const EncodedFrame& frame, const std::stop_token& stop) {
  forget_rehearsals();
  take_quality();
  requests_->hand_over_to(refresh_, frames_);
  give_device(frame);
  const SteadyTime begun = timing_.clock.now();
  const double frame_times = timing_.frame_times_until(begun, frame.times.pts);
  const double whole_frame_times = timing_.real_time ? std::max(1.0, std::round(frame_times)) : 1;
  compact::PayloadWriter& writer = begin_payloads(begun, frame_times);
  // It is moved before tiles are coded, and read while they are. Lossy streams code some before.
  SteadyTime deadline = begun + (settings_.is_lossy() ? timing_.frame_time : nanoseconds{});
  begin(frame, whole_frame_times, timing_.real_time ? &deadline : nullptr);
  const SteadyTime analysed = timing_.clock.now();
  deadline = settings_.is_lossy() ? deadline_.of(begun, analysed) : analysed + from_seconds(budget_.seconds());
  ready_.clear();
  bool leaves = false;
  while (encoder_->more()) give(writer.add(encoder_->next()), frame.times, leaves);
  give(writer.end(), frame.times, leaves);
  if (leaves) sender_->finish(frame.times.encoded);
  const SteadyTime coded = timing_.clock.now();
  const auto slices = encoder_->end();
  end_frame(slices, begun, whole_frame_times);
  deadline_.learn_ending(timing_.clock.now() - coded);
  learn(std::min(coded, deadline) - analysed, slices);
  frame_is_over(frame.times, coded - begun, leaves, stop);
}

// After the frame has left, or all of its payloads are ready.
void CompactSender::end_frame(std::span<const compact::CodedSlice> slices, SteadyTime begun, double frame_times) {
  refresh_.coded(slices);
  requests_->charge(refresh_.cost(), frame_times);
  if (sums_)
    if (const Bytes sums = sums_->add(slices, frames_, begun); !sums.empty()) sender_->put_beside(sums);
  ++frames_;
}

void CompactSender::frame_is_over(const FrameTimes& times, nanoseconds coding, bool leaves,
                                  const std::stop_token& stop) {
  const bool repairs_wait = refresh_.is_waiting() || encoder_->is_waiting();
  {
    const std::lock_guard lock(mutex_);
    count(coding);
    repairs_wait_ = repairs_wait;
    frame_.reset();  // its memory is not needed any more
    if (leaves) in_hand_ = false;
  }
  progress_.set();
  if (!leaves) send_when_idle(times, stop);
}

void CompactSender::begin(const EncodedFrame& frame, double frame_times, const SteadyTime* deadline) {
  std::function<double()> seconds_left;
  if (deadline != nullptr)
    seconds_left = [&clock = timing_.clock, deadline] { return in_seconds(*deadline - clock.now()); };
  encoder_->begin({.texture = frame.texture.blocks,
                   .changed = frame.changed,
                   .intra = refresh_.next(frame_times),
                   .wrong = refresh_.repaired(),
                   .refreshed = refresh_.refreshed(),
                   .most_due = deadline == nullptr || budget_.is_worth_it() ? UINT32_MAX : grid_.tiles() / kMuch,
                   .seconds_left = std::move(seconds_left),
                   .target = bitrate_ ? bitrate_->control().target() : target_,
                   .rate = bitrate_ ? &bitrate_->control() : nullptr,
                   .picture = frame.texture.picture});
}

// Gives payloads to the sender as soon as it is idle; `leaves` is set then.
void CompactSender::give(std::span<const Bytes> payloads, const FrameTimes& times, bool& leaves) {
  ready_.insert(ready_.end(), payloads.begin(), payloads.end());
  if (!leaves) {
    if (!sender_->idle()) return;
    sender_->start(times);
    leaves = true;
  }
  sender_->add(ready_);
  ready_.clear();
}

// A frame whose coding was over before the previous one had left.
void CompactSender::send_when_idle(const FrameTimes& times, const std::stop_token& stop) {
  while (!sender_->idle() && !stop.stop_requested()) sent_.wait_until(steady_now() + kLongestPause);
  if (stop.stop_requested()) return;
  bool leaves = false;
  give({}, times, leaves);
  sender_->finish(times.encoded);
  const std::lock_guard lock(mutex_);
  in_hand_ = frame_.has_value();
}

void CompactSender::count(nanoseconds coding) {
  const compact::EncodedCounts of_frame = encoder_->counts();
  counts_.skipped += of_frame.skipped;
  counts_.inter += of_frame.inter;
  counts_.intra += of_frame.intra;
  counts_.plain += of_frame.plain;
  counts_.transform += of_frame.transform;
  counts_.late += of_frame.late;
  if (settings_.crf) counts_.crf = *settings_.crf;
  if (bitrate_) {
    counts_.rate_bits_per_s = bitrate_->control().bits_per_s();
    counts_.crf = bitrate_->control().crf();
  }
  const compact::IntraRefreshCounts& refreshes = refresh_.counts();
  counts_.repaired = before_.repaired + refreshes.repaired;
  counts_.refreshed = before_.refreshed + refreshes.refreshed;
  counts_.repair_bytes = before_.repair_bytes + refreshes.repair_bytes;
  counts_.requests = before_.requests + refreshes.requests;
  counts_.coding.add(coding);
}

// The budget learns what the coded tiles have saved against raw ones.
void CompactSender::learn(nanoseconds coding, std::span<const compact::CodedSlice> slices) {
  size_t raw_bytes = 0, saved_bytes = 0;
  for (const compact::CodedSlice& slice : slices) {
    if (slice.coding == compact::Coding::raw) continue;
    const size_t raw = grid_.raw_bytes(slice.slice);
    raw_bytes += raw;
    saved_bytes += raw - std::min(raw, slice.bytes.size());
  }
  budget_.learn(in_seconds(coding), static_cast<double>(raw_bytes), static_cast<double>(saved_bytes));
}

}  // namespace texcast::stream
