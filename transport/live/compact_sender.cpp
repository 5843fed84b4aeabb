#include "live/compact_sender.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"
#include "texcast/error.h"
#include "transport/compact_packet.h"
#include "transport/compact_packetizer.h"
#include "transport/pacer.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestPause = std::chrono::seconds(1);
constexpr uint32_t kBufferIds = 1u << 22;
constexpr double kUsualRefreshSeconds = 5;
constexpr uint32_t kMuch = 4;  // that part of a picture
// Of a frame's time, where what is left can wait for the next: all of coding; where what has moved was long found out,
// what tiles have at least.
constexpr double kCodingTime = 0.9, kLeastCodingTime = 0.5;
constexpr double kLeastFrameTimes = 0.01;  // between two frames, of which the clock says that they came at once
constexpr int kRefinements = 4;            // of what stands still: then it is as good as lossless
// Requests that are heard before a frame: of all, and of one listener. Who needs more tells it again.
constexpr size_t kMostAsked = 64, kMostOfOne = 8;
constexpr nanoseconds kSumsEvery = std::chrono::seconds(1);

double refresh_frames(const Destinations& destinations, const CompactSettings& compact, double fps) {
  if (compact.refresh_seconds > 0) return compact.refresh_seconds * fps;
  return destinations.real_time() && !destinations.all_unicast() ? kUsualRefreshSeconds * fps : 0;
}

std::optional<compact::RdParameters> lossy_target_of(const CompactSettings& settings) {
  if (!settings.crf || settings.bitrate) return std::nullopt;
  return compact::with_refinements(compact::rd_parameters(*settings.crf), kRefinements);
}

// The cap of the line holds for what is coded too.
CompactSettings within(const SendSettings& settings) {
  CompactSettings compact = settings.compact;
  if (!compact.bitrate || settings.rate_bits_per_s.value_or(0) <= 0) return compact;
  compact.bitrate->most = std::min(compact.bitrate->most, *settings.rate_bits_per_s);
  compact.bitrate->least = std::min(compact.bitrate->least, compact.bitrate->most);
  return compact;
}
SendSettings paced_by(SendSettings settings, const CompactSettings& compact) {
  if (compact.bitrate) settings.rate_bits_per_s = compact.bitrate->most;
  return settings;
}

// A tile may need a packet of its own, with parity; else nothing would ever leave.
void require_room(const compact::RateSettings& rate, double least_bits_per_s) {
  const size_t packet = rate.line_bytes({.payloads = 1, .bytes = rate.payload_bytes, .longest = rate.payload_bytes});
  const double least = static_cast<double>(packet) * 8 * rate.fps / rate.buffer_frames;
  if (least_bits_per_s >= least) return;
  throw Error(ErrorKind::usage,
              fmt::format("{:.0f}k bits a second are too few for {:.4g} frames of a compact stream: give "
                          "{:.0f}k at least, or fewer frames a second",
                          least_bits_per_s / 1000, rate.fps, std::ceil(least / 1000)));
}

std::optional<RateAdaptation> adaptation(const CompactSettings& settings) {
  if (!settings.bitrate || settings.bitrate->least >= settings.bitrate->most) return std::nullopt;
  return RateAdaptation(settings.bitrate->least, settings.bitrate->most);
}

// `way`: what the rate follows, if anything.
std::optional<compact::RateControl> rate_control(const SendSettings& settings, const CompactSettings& compact,
                                                 const std::optional<RateAdaptation>& way,
                                                 const Destinations& destinations, const compact::TileGrid& grid,
                                                 size_t payload_bytes) {
  if (!compact.bitrate) return std::nullopt;
  const transport::FecChoice fec = transport::fec_on_wire(settings.wire);
  const transport::CompactFrameSize size{
      .parity_percent = fec.kind == transport::FecKind::parity ? static_cast<double>(fec.percent) : 0,
      .sealed = settings.wire.crypto == transport::CryptoChoice::texcast,
      .overhead = transport::wire_overhead(destinations.ipv6())};
  compact::RateSettings rate{.bits_per_s = way ? way->bits_per_s() : compact.bitrate->most,
                             .fps = settings.fps > 0 ? settings.fps : 60,
                             .crf = compact.crf.value_or(compact::kFinestCrf),
                             .refinements = kRefinements,
                             .payload_bytes = payload_bytes};
  rate.line_bytes = [size](const compact::PayloadSizes::Sum& sum) {
    return size.line_bytes(sum.payloads, sum.bytes, sum.longest);
  };
  require_room(rate, compact.bitrate->least);
  return std::make_optional<compact::RateControl>(grid.tiles(), rate);
}

CodingBudget coding_budget(const SendSettings& settings, size_t frame_bytes) {
  const auto bytes = static_cast<double>(frame_bytes);
  const double frame_seconds = 1 / std::max(settings.fps, 1.0);
  double sending_seconds = frame_seconds * std::clamp(settings.spread, 0.0, 1.0);
  if (settings.rate_bits_per_s && *settings.rate_bits_per_s > 0)
    sending_seconds = std::max(sending_seconds, bytes * 8 / *settings.rate_bits_per_s);
  return {frame_seconds, sending_seconds, bytes};
}

// A device takes about as long for half of a frame's tiles as for all of them.
constexpr int kBatchesAtRate = 2;

}  // namespace

CompactSender::CompactSender(Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                             AutoResetEvent& progress, const StreamIdentity& identity, const Clock& clock)
    : clock_(clock),
      real_time_(destinations.real_time()),
      frame_time_(frame_period(settings.fps)),
      progress_(progress),
      first_buffer_id_(identity.numbers->next_buffer_id()),
      ssrc_(identity.numbers->ssrc()),
      workers_(settings.compact.threads >= 0 ? settings.compact.threads : Workers::suggested_threads()),
      grid_(texture),
      settings_(within(settings)),
      target_(lossy_target_of(settings_)),
      device_(settings_.is_lossy() && !grid_.has_planes_of_channels() ? std::nullopt : settings.compact.device),
      budget_(coding_budget(settings, grid_.texture_bytes())),
      plan_(grid_, {.refresh_frames = refresh_frames(destinations, settings.compact, settings.fps)}),
      shares_(grid_.texture_bytes()),
      tells_sums_(destinations.real_time() && destinations.all_unicast() &&
                  settings.wire.crypto == transport::CryptoChoice::none),
      sums_(grid_),
      counts_(identity.so_far.compact.value_or(CompactSent{})),
      before_(counts_),
      sender_(make_compact_sender(destinations, paced_by(settings, settings_), texture,
                                  {.coding = coding_of(settings, texture.format),
                                   .on_tile_request = [this](const transport::PeerAddress& from,
                                                             const transport::TileRequest& r) { on_request(from, r); }},
                                  sent_, identity)),
      way_(adaptation(settings_)),
      rate_(rate_control(settings, settings_, way_, destinations, grid_, sender_->max_payload())),
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

void CompactSender::start(const EncodedFrame& frame) {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(!frame_);
    frame_ = frame;
    in_hand_ = true;
  }
  sent_.set();
}

void CompactSender::start(const EncodedFrame&, size_t) { ENSURE(takes_bands()); }
void CompactSender::advance(size_t) { ENSURE(takes_bands()); }
void CompactSender::finish(WallTime) { ENSURE(takes_bands()); }

SentStatus CompactSender::status() const {
  SentStatus status = sender_->status();
  const std::lock_guard lock(mutex_);
  status.compact = counts_;
  return status;
}

// On the paced sender's thread.
void CompactSender::on_request(const transport::PeerAddress& from, const transport::TileRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    if (asked_.size() >= kMostAsked || std::ranges::count(asked_, from, &Asked::from) >= static_cast<int>(kMostOfOne)) {
      ++counts_.refused;
      return;
    }
  }
  // Who has nothing yet has nothing of the newest frame either, which it may have heard of in its middle.
  Asked asked{.from = from, .state = request.state.value_or(request.newest), .all = request.all || !request.state};
  asked.tiles.reserve(request.ranges);
  for (size_t i = 0; i < request.ranges; ++i) {
    const auto range = request.range(i);
    asked.tiles.push_back({range.first, range.count});
  }
  {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(asked));
  }
  progress_.set();
}

bool CompactSender::wants_frame() const {
  const std::lock_guard lock(mutex_);
  return !frame_ && (repairs_wait_ || !asked_.empty());
}

// That the frame which begins now stands for: 1 where the source keeps to its rate.
double CompactSender::frame_times_since(SteadyTime begun, nanoseconds pts) {
  const auto before = std::exchange(coded_at_, begun);
  const nanoseconds pts_before = std::exchange(coded_pts_, pts);
  if (!before) return 1;
  const nanoseconds since = real_time_ ? begun - *before : pts - pts_before;
  return in_seconds(since) / in_seconds(frame_time_);
}

// What receivers say of the way, to the rate; and what they asked for takes of it.
void CompactSender::follow_the_way(SteadyTime now) {
  RateSigns signs = sender_->signs(heard_);
  rate_->charge(signs.again_line_bytes - charged_);
  charged_ = signs.again_line_bytes;
  signs.hears_losses = signs.hears_losses && real_time_;
  if (!way_ || !way_->look(now, signs)) return;
  rate_->set_rate(way_->bits_per_s());
  sender_->limit(way_->bits_per_s());
}

void CompactSender::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { sent_.set(); });
  const size_t room = compact::slice_room(sender_->max_payload());
  encoder_.emplace(
      grid_.texture(),
      compact::FrameEncoderSettings{
          .most_slice_bytes = room,
          .lossy = settings_.is_lossy(),
          .effort = compact::search_effort(settings_.quality),
          .batches = device_ && settings_.bitrate ? kBatchesAtRate : compact::FrameEncoderSettings{}.batches},
      workers_);
  if (device_ && !settings_.is_lossy())
    decider_.build([this, room] { return compact::make_opencl_lossless_backend(*device_, grid_, room); });
  for (int i = 0; i < 2; ++i) writers_.emplace_back(grid_, sender_->max_payload());
  while (!stop.stop_requested()) {
    std::optional<EncodedFrame> frame;
    {
      const std::lock_guard lock(mutex_);
      frame = frame_;
    }
    if (!frame) {
      sent_.wait_until(steady_now() + kLongestPause);
      progress_.set();  // the last frame may have left
      continue;
    }
    code(*frame, stop);
  }
}

// Where coding takes longer than it saves, a film on a slow processor, frames of which much changed go plain whole.
// What is coded leaves while the rest is still being coded, unless the frame before is still leaving.
void CompactSender::code(const EncodedFrame& frame, const std::stop_token& stop) {
  hear_requests();
  if (frames_ == 0 && device_ && settings_.is_lossy()) build_chooser(frame.texture.picture);
  take_device();
  const SteadyTime begun = clock_.now();
  // Written before tiles are coded, and read while they are. Of lossy streams some are coded at the very beginning.
  SteadyTime over = begun + (settings_.is_lossy() ? frame_time_ : nanoseconds{});
  const auto part_of = [this](double part) { return from_seconds(part * in_seconds(frame_time_)); };
  std::function<double()> seconds_left;
  if (real_time_) seconds_left = [this, &over] { return in_seconds(over - clock_.now()); };
  const double frame_times = frame_times_since(begun, frame.times.pts);
  const double whole_frame_times = real_time_ ? std::max(1.0, std::round(frame_times)) : 1;
  compact::PayloadWriter& writer = writers_[frames_ % 2];
  writer.begin(frames_ > 0 ? &plan_.history() : nullptr);
  if (rate_) {
    follow_the_way(begun);
    rate_->begin(std::max(frame_times, kLeastFrameTimes), writer.history_bytes());
  }
  encoder_->begin({.texture = frame.texture.blocks,
                   .changed = frame.changed,
                   .intra = plan_.next(whole_frame_times),
                   .wrong = plan_.repaired(),
                   .refreshed = plan_.refreshed(),
                   .most_due = !real_time_ || budget_.is_worth_it() ? UINT32_MAX : grid_.tiles() / kMuch,
                   .seconds_left = std::move(seconds_left),
                   .target = rate_ ? rate_->target() : target_,
                   .rate = rate_ ? &*rate_ : nullptr,
                   .picture = frame.texture.picture});
  const SteadyTime looked = clock_.now();
  over = settings_.is_lossy() ? std::max(begun + part_of(kCodingTime), looked + part_of(kLeastCodingTime))
                              : looked + from_seconds(budget_.seconds());
  ready_.clear();
  bool leaves = false;
  while (encoder_->more()) give(writer.add(encoder_->next()), frame.times, leaves);
  give(writer.end(), frame.times, leaves);
  if (leaves) sender_->finish(frame.times.encoded);
  const SteadyTime coded = clock_.now();
  const auto slices = encoder_->end();
  plan_.coded(slices);
  shares_.coded(plan_.cost(), whole_frame_times);
  if (tells_sums_) add_up(slices, begun);
  const bool repairs_wait = plan_.is_waiting() || encoder_->is_waiting();
  ++frames_;
  const Saved saved = saved_by(slices);
  budget_.learn(in_seconds(std::min(coded, over) - looked), static_cast<double>(saved.of),
                static_cast<double>(saved.bytes));
  const FrameTimes times = frame.times;
  {
    const std::lock_guard lock(mutex_);
    count(coded - begun);
    repairs_wait_ = repairs_wait;
    frame_.reset();  // its memory is not needed any more
    if (leaves) in_hand_ = false;
  }
  progress_.set();
  if (leaves) return;
  while (!sender_->idle() && !stop.stop_requested()) sent_.wait_until(steady_now() + kLongestPause);
  if (stop.stop_requested()) return;
  give({}, times, leaves);
  sender_->finish(times.encoded);
  const std::lock_guard lock(mutex_);
  in_hand_ = frame_.has_value();
}

// Receivers are told once a second what each row of tiles adds up to, so that they find what was forged. That leaves
// just before this frame or the next one.
void CompactSender::add_up(std::span<const compact::CodedSlice> slices, SteadyTime now) {
  sums_.begin();
  for (const compact::CodedSlice& slice : slices) sums_.add(slice.slice, slice.check);
  if (now < sums_due_) return;
  std::array<uint32_t, transport::TileSums::kMaxRows> sums;
  size_t rows = 0;
  const int first = next_row_;
  for (; next_row_ < grid_.down() && rows < sums.size(); ++next_row_) sums[rows++] = sums_.row(next_row_);
  std::array<std::byte, transport::kMostTileSumsBytes> datagram;
  const size_t bytes =
      transport::write_tile_sums(datagram,
                                 {.ssrc = ssrc_,
                                  .buffer_id = (first_buffer_id_ + static_cast<uint32_t>(frames_)) & (kBufferIds - 1),
                                  .first_row = static_cast<uint16_t>(first)},
                                 std::span(sums).first(rows));
  sender_->put_beside(Bytes(datagram).first(bytes));
  if (next_row_ < grid_.down()) return;
  next_row_ = 0;
  sums_due_ = now + kSumsEvery;
}

// Payloads that are whole, to the sender as soon as it is free.
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

void CompactSender::count(nanoseconds coding) {
  const compact::EncodedCounts of_frame = encoder_->counts();
  counts_.skipped += of_frame.skipped;
  counts_.against += of_frame.inter;
  counts_.alone += of_frame.intra;
  counts_.plain += of_frame.plain;
  counts_.late += of_frame.late;
  if (settings_.crf) counts_.crf = *settings_.crf;
  if (rate_) {
    counts_.rate_bits_per_s = rate_->bits_per_s();
    counts_.crf = rate_->crf();
  }
  counts_.repaired = before_.repaired + plan_.counts().repaired;
  counts_.refreshed = before_.refreshed + plan_.counts().refreshed;
  counts_.repair_bytes = before_.repair_bytes + plan_.counts().repair_bytes;
  counts_.requests = before_.requests + plan_.counts().requests;
  counts_.coding.add(coding);
}

// Of the tiles that were coded, what they have plain, and what they took less.
CompactSender::Saved CompactSender::saved_by(std::span<const compact::CodedSlice> slices) const {
  Saved saved;
  for (const compact::CodedSlice& slice : slices) {
    if (slice.coding == compact::Coding::raw) continue;
    const size_t plain = grid_.raw_bytes(slice.slice);
    saved.of += plain;
    saved.bytes += plain - std::min(plain, slice.bytes.size());
  }
  return saved;
}

// Threads code until the device's kernels are built.
// `picture`: as all frames have one, or none.
void CompactSender::build_chooser(const FrameView* picture) {
  chooser_.build([this, format = picture != nullptr ? std::optional(picture->format) : std::nullopt] {
    return compact::make_opencl_lossy_backend(*device_, grid_, format ? &*format : nullptr);
  });
}

// Once its kernels are there.
void CompactSender::take_device() {
  const auto take = [&](auto& built_later, const auto& hand_over) {
    try {
      auto built = built_later.take();
      if (!built) return;
      hand_over(std::move(*built));
      log_info("{} codes the compact stream", device_->name);
    } catch (const Error& error) {
      log_warning("the compact stream is coded by the processor: {}", error.what());
    }
  };
  take(decider_,
       [&](auto decider) { encoder_->use_backend(std::move(decider), {.slices = compact::kSelfCheckSlices}); });
  take(chooser_, [&](auto chooser) {
    encoder_->use_backend(std::move(chooser), {.slices = compact::kSelfCheckSlices, .clock = steady_now});
  });
}

void CompactSender::hear_requests() {
  {
    const std::lock_guard lock(mutex_);
    hearing_.swap(asked_);
  }
  uint64_t refused = 0;
  for (const Asked& asked : hearing_) {
    if (!shares_.hears(asked.from)) {
      ++refused;
      continue;
    }
    // Of frames that have not been, or long ago: all may be wrong.
    const uint32_t number = (asked.state - first_buffer_id_) & (kBufferIds - 1);
    const auto newest = static_cast<uint32_t>((frames_ + kBufferIds - 1) & (kBufferIds - 1));
    const uint32_t age = (newest - number) & (kBufferIds - 1);
    plan_.request(age < frames_ ? frames_ - 1 - age : frames_, asked.tiles, asked.all);
  }
  hearing_.clear();
  if (refused == 0) return;
  const std::lock_guard lock(mutex_);
  counts_.refused += refused;
}

}  // namespace texcast::stream
