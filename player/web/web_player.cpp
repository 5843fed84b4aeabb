#include "player/web_player.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <utility>

#include "base/latency.h"
#include "changed_rows.h"
#include "compact/tables.h"
#include "compact/tile_grid.h"
#include "playout/picture_lag.h"
#include "slice_shares.h"
#include "stream_description.h"
#include "text/json_text.h"
#include "textures/compact_reception.h"
#include "textures/cursor_view.h"
#include "textures/stream_format.h"
#include "transport/audio_session.h"
#include "transport/pcm_samples.h"
#include "transport/rtcp_session.h"

namespace texcast::player {
namespace {

using std::chrono_literals::operator""ms;
using stream::FrameRef;
using transport::ReceivedFrame;

constexpr uint8_t kPictureChannel = 0, kSoundChannel = 1;
constexpr size_t kLengthBytes = 2;
constexpr size_t kMostFeedback = 2048;  // bytes of a message
constexpr size_t kMostMessages = 32;    // that wait to be taken
// Coded frames that wait for the decoder. If it falls behind that much, all but the newest are dropped, and the sender
// is asked for what they changed: otherwise the delay would stay.
constexpr size_t kMostWaiting = 16;
constexpr size_t kMostWaitingBytes = size_t{32} << 20;
constexpr size_t kMostDue = 16;  // decoded frames that wait for their time
constexpr size_t kPoolFrames = transport::ReceiveSession::kMostLoans + kMostDue + 6;
constexpr size_t kPoolBytes = size_t{512} << 20;
constexpr size_t kRemembered = 32;           // frames whose drawing may still be reported
constexpr nanoseconds kSoundReserve = 25ms;  // for the messages between threads and the page's own schedule
constexpr double kMostAge = 10'000;          // milliseconds; larger ages say that the clocks are two

// A coded frame that waits for the decoder, with copies of its payloads.
class WaitingFrame {
 public:
  WaitingFrame(const ReceivedFrame& given, const TextureDesc& texture, SteadyTime arrived)
      : frame(given), texture(texture), arrived(arrived) {
    frame.bytes = {};
    frame.concealed = {};
    size_t bytes = 0;
    for (const Bytes payload : given.payloads) bytes += payload.size();
    memory_.reserve(bytes);
    for (const Bytes payload : given.payloads) {
      const size_t at = memory_.size();
      memory_.insert(memory_.end(), payload.begin(), payload.end());
      payloads_.push_back(Bytes(memory_).subspan(at));
    }
    frame.payloads = payloads_;
  }
  WaitingFrame(WaitingFrame&&) = default;  // spans stay valid, as vectors keep their memory
  WaitingFrame& operator=(WaitingFrame&&) = default;
  size_t bytes() const { return memory_.size(); }

  ReceivedFrame frame;
  TextureDesc texture;
  SteadyTime arrived{};

 private:
  std::vector<std::byte> memory_;
  std::vector<Bytes> payloads_;
};

// A coded frame that is being decoded.
struct FrameUnderWay {
  WaitingFrame waiting;
  FrameRef out{};
  SteadyTime begun{};
};

struct DueFrame {
  FrameRef frame{};
  transport::StreamDesc stream{};
  SteadyTime due{};
};

struct TakenFrame {
  uint64_t number = 0;
  WallTime available{};
};

transport::ReceiveSettings session_settings() {
  transport::ReceiveSettings settings;
  stream::limit_pictures(settings);
  settings.request_lost = true;
  return settings;
}

}  // namespace

class WebPlayer::Impl {
 public:
  Impl(stream::Latency latency, uint32_t seed)
      : rtcp_(seed, "texcast@browser", seed, transport::RtcpAudience::unicast, stream::rtcp_tool()), clock_(latency) {}

  void on_message(Bytes message, SteadyTime now, WallTime wall) {
    if (message.empty()) return;
    const auto channel = std::to_integer<uint8_t>(message[0]);
    bytes_ += message.size();
    ByteReader reader(message.subspan(1));
    while (const auto length = reader.take_le<kLengthBytes>()) {
      const auto datagram = reader.take(static_cast<size_t>(*length));
      if (!datagram || datagram->empty()) break;
      if (channel == kPictureChannel) on_picture(*datagram, now, wall);
      if (channel == kSoundChannel && !is_rtcp(*datagram)) sound_.on_datagram(*datagram, now, wall);
    }
  }

  bool poll(SteadyTime now, WallTime wall) {
    if (const auto due = rtcp_.next_deadline(); due && now >= *due) add_feedback(rtcp_.report(now));
    request_lost(now);  // first: a timer may be late, and the session would give up what it has not requested yet
    drain(now, wall);
    if (const auto cursor = session_.poll_cursor()) pointer_ = cursor_.see(*cursor);
    if (can_decode()) {
      WaitingFrame next = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= next.bytes();
      decode(std::move(next));
    }
    return can_decode();
  }

  size_t largest_frame() const { return largest_; }
  size_t add_helper(size_t least_share) { return shares_.add_helper(least_share); }
  void lose_helper(size_t helper) {
    shares_.lose_helper(helper);
    finish_shared();
  }
  std::optional<Bytes> take_share(size_t helper) { return shares_.take_share(helper); }
  void decode_own_share() {
    if (!shared_) return;
    shares_.decode_own();
    finish_shared();
  }
  void on_answer(size_t helper, Bytes answer) {
    shares_.on_answer(helper, answer);
    finish_shared();
  }

  std::optional<SteadyTime> next_deadline() const {
    if (can_decode()) return SteadyTime{};
    std::optional<SteadyTime> deadline = session_.next_deadline();
    const auto consider = [&](std::optional<SteadyTime> other) {
      if (other) deadline = std::min(*other, deadline.value_or(*other));
    };
    consider(sound_.next_deadline());
    consider(reception_.next_query());
    consider(rtcp_.next_deadline());
    if (!due_.empty()) consider(due_.front().due);
    return deadline;
  }

  std::optional<WebFrame> take_frame(SteadyTime now) {
    size_t due = 0;
    while (due < due_.size() && due_[due].due <= now) ++due;
    if (due == 0) return std::nullopt;
    overtaken_ += due - 1;
    due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(due - 1));
    DueFrame taken = std::move(due_.front());
    due_.pop_front();
    describe(taken);
    list_uploads(*taken.frame);
    shown_ = taken.frame;  // its memory is valid until the next call
    ++frames_;
    taken_.push_back({shown_->number, shown_->available});
    if (taken_.size() > kRemembered) taken_.pop_front();
    return WebFrame{.number = shown_->number,
                    .due = taken.due,
                    .available = shown_->available,
                    .is_complete = !shown_->concealed,
                    .uploads = uploads_};
  }

  void take_whole() {
    held_ = {};
    // A stream that stands still shows it again.
    if (due_.empty() && shown_) due_.push_back({shown_, shown_stream_, SteadyTime{}});
  }

  void on_shown(uint64_t number, SteadyTime at) {
    const auto found = std::ranges::find(taken_, number, &TakenFrame::number);
    if (found == taken_.end()) return;
    lag_.on_picture(found->available, at);
    if (found->available > WallTime{}) {
      const WallTime shown_wall{at.time_since_epoch() + wall_offset_};
      age_.add(shown_wall - found->available);
    }
    taken_.erase(taken_.begin(), found + 1);
  }

  std::vector<std::string> take_needs() {
    if (waiting_.empty()) return {};
    std::vector<std::string> needs;
    for (const std::string_view kind : tables_of(waiting_.front()))
      if (!compact::has_trained_text(kind) && asked_.emplace(kind).second) needs.emplace_back(kind);
    return needs;
  }

  std::optional<std::string> take_description() { return std::exchange(description_, std::nullopt); }
  std::optional<Cursor> take_pointer() { return std::exchange(pointer_, std::nullopt); }
  std::optional<std::string> take_line() { return std::exchange(line_, std::nullopt); }

  std::optional<WebSound> take_sound(SteadyTime now) {
    const auto unit = sound_.next(now);
    if (!unit) return std::nullopt;
    WebSound sound{.rate = unit->stream.rate, .channels = unit->stream.channels, .samples = unit->samples};
    sound.at = heard_at(*unit, now);
    if (unit->kind == transport::AudioUnit::Kind::silent) return sound;
    sound.kind = WebSound::Kind::lost;
    if (unit->kind == transport::AudioUnit::Kind::lost || unit->channels.empty()) return sound;
    if (unit->stream.coding == transport::AudioCoding::opus) {
      if (unit->channels[0].empty()) return sound;
      sound.kind = WebSound::Kind::opus;
      sound.opus = unit->channels[0];
      return sound;
    }
    sound.kind = WebSound::Kind::pcm;
    pcm_.assign(size_t{unit->samples} * unit->channels.size(), 0.0F);
    sound.channels = static_cast<int>(unit->channels.size());
    for (size_t c = 0; c < unit->channels.size(); ++c)
      transport::pcm_to_floats(unit->channels[c], unit->stream.bits,
                               std::span(pcm_).subspan(c * unit->samples, unit->samples), 1);
    sound.pcm = pcm_;
    return sound;
  }

  std::optional<Bytes> take_feedback(SteadyTime now) {
    request_lost(now);
    while (const auto query = reception_.query(now)) {
      const auto request = session_.ask_for_tiles(*query, now);
      if (!request) break;
      add_feedback(*request);
    }
    if (outbox_.empty()) return std::nullopt;
    feedback_ = std::move(outbox_.front());
    outbox_.pop_front();
    return feedback_;
  }

  std::optional<Bytes> goodbye(SteadyTime now) {
    outbox_.clear();
    add_feedback(rtcp_.goodbye(now));
    return take_feedback(now);
  }

  std::string statistics(SteadyTime now, WallTime wall);

 private:
  // RFC 5761: RTCP shares the channel, and its packet types lie outside of RTP's.
  static bool is_rtcp(Bytes datagram) {
    return datagram.size() >= 2 && std::to_integer<unsigned>(datagram[0]) >> 6 == 2 &&
           std::to_integer<unsigned>(datagram[1]) >= 192 && std::to_integer<unsigned>(datagram[1]) <= 223;
  }

  // The files of tables that player.wasm does not contain.
  static std::vector<std::string_view> tables_of(const WaitingFrame& frame) {
    const compact::TileGrid grid(frame.texture);
    const bool has_transform = frame.frame.stream.coding == stream::kTransformCoding;
    const bool is_lossy = has_transform || frame.frame.stream.coding == stream::kLossyCoding;
    std::set<std::string_view> kinds;
    for (int c = 0; c < grid.component_count(); ++c) {
      const compact::TableSet set = grid.component(c).tables;
      if (grid.is_opaque()) kinds.insert(compact::opaque_text_kind(set));
      if (!is_lossy) continue;
      for (const auto content : {compact::Content::film, compact::Content::fine_film, compact::Content::screen})
        kinds.insert(compact::lossy_text_kind(content, set));
    }
    if (has_transform) kinds.insert(compact::kTransformTexts.begin(), compact::kTransformTexts.end());
    return {kinds.begin(), kinds.end()};
  }
  static bool lacks_tables(const WaitingFrame& frame) {
    return !std::ranges::all_of(tables_of(frame),
                                [](std::string_view kind) { return compact::has_trained_text(kind); });
  }
  bool can_decode() const { return !shared_ && !waiting_.empty() && !lacks_tables(waiting_.front()); }

  void request_lost(SteadyTime now) {
    while (const auto request = session_.poll_feedback(now)) add_feedback(*request);
  }

  // Fills messages up to their limit. Larger datagrams do not exist.
  void add_feedback(Bytes datagram) {
    const size_t bytes = kLengthBytes + datagram.size();
    if (datagram.empty() || 1 + bytes > kMostFeedback || outbox_.size() > kMostMessages) return;
    if (outbox_.empty() || outbox_.back().size() + bytes > kMostFeedback)
      outbox_.emplace_back(1, std::byte{kPictureChannel});
    auto& message = outbox_.back();
    const size_t at = message.size();
    message.resize(at + kLengthBytes);
    store_le16(message, at, static_cast<uint16_t>(datagram.size()));
    message.insert(message.end(), datagram.begin(), datagram.end());
  }

  void on_picture(Bytes datagram, SteadyTime now, WallTime wall) {
    if (is_rtcp(datagram)) {
      rtcp_.on_control(datagram, now);
      return;
    }
    rtcp_.on_media(datagram, now);
    session_.on_datagram(datagram, now, wall);
    drain(now, wall);
  }

  void drain(SteadyTime now, WallTime wall) {
    wall_offset_ = wall.time_since_epoch() - now.time_since_epoch();
    if (session_.sender().count != selected_) {  // frames of the previous sender are of no use
      selected_ = session_.sender().count;
      waiting_.clear();
      waiting_bytes_ = 0;
    }
    if (const auto sums = session_.poll_tile_sums()) reception_.compare(*sums);
    while (const auto frame = session_.poll(now, wall)) pass_on(*frame, now);
  }

  void pass_on(const ReceivedFrame& frame, SteadyTime now) {
    const Result<TextureDesc> texture = stream::texture_of(frame);
    if (!texture) {
      if (refused_ != frame.stream) line_ = texture.error().message;
      refused_ = frame.stream;
      return;
    }
    if (frame.stream.compact()) return wait(WaitingFrame(frame, *texture, now));
    const FrameRef shared = pool_.share(frame.memory);
    shared->desc = *texture;
    shared->blocks =
        shared->blocks.subspan(static_cast<size_t>(frame.bytes.data() - shared->blocks.data()), frame.bytes.size());
    shared->concealed = frame.concealed_bytes > 0;
    hand_out(shared, frame, now);
  }

  void wait(WaitingFrame frame) {
    if (waiting_.size() == kMostWaiting || waiting_bytes_ + frame.bytes() > kMostWaitingBytes) {
      undecoded_ += waiting_.size();
      for (const WaitingFrame& dropped : waiting_) begins_ = begins_ || dropped.frame.new_stream;
      waiting_.clear();
      waiting_bytes_ = 0;
    }
    waiting_bytes_ += frame.bytes();
    waiting_.push_back(std::move(frame));
  }

  void decode(WaitingFrame waiting) {
    const SteadyTime begun = steady_now();
    FrameUnderWay frame{.waiting = std::move(waiting), .begun = begun};
    frame.out = pool_.acquire(texture_layout(frame.waiting.texture).total_bytes);
    if (frame.out) {
      frame.out->desc = frame.waiting.texture;
      frame.out->id = frame.waiting.frame.id;
    } else {
      ++unbuffered_;
    }
    begins_ = begins_ || frame.waiting.frame.new_stream;
    frame.waiting.frame.new_stream = begins_;
    if (!reception_.begin(frame.waiting.frame, frame.out)) return;
    compact::FrameDecoder& decoder = reception_.decoder();
    size_t cost = 0;
    for (const compact::ReceivedSlice& slice : decoder.slices()) cost += decoding_cost(slice.parsed);
    largest_ = std::max(largest_, cost);
    const RowChanges reference = reception_.latest() ? reception_.latest()->changes() : RowChanges{};
    if (shares_.begin(decoder, frame.out->blocks, reference)) {
      shared_ = std::move(frame);
      ++frames_shared_;
      return;
    }
    decoder.decode_slices();
    finish(frame);
  }

  void finish_shared() {
    if (!shared_ || !shares_.is_complete()) return;
    FrameUnderWay frame = std::move(*shared_);
    shared_.reset();
    finish(frame);
  }

  void finish(const FrameUnderWay& frame) {
    const auto wrong = reception_.finish(frame.waiting.frame, frame.out);
    decode_.add(steady_now() - frame.begun);
    if (!wrong) return;
    begins_ = false;
    frame.out->concealed = *wrong > 0;
    hand_out(frame.out, frame.waiting.frame, frame.waiting.arrived);
  }

  void hand_out(const FrameRef& frame, const ReceivedFrame& received, SteadyTime arrived) {
    frame->times = received.times;
    frame->available = received.times.available;
    frame->number = received.number;
    frame->arrived = arrived;
    frame->new_stream = received.new_stream;
    const SteadyTime due =
        clock_.due({received.times.pts, arrived, frame_period(received.stream.fps), received.new_stream});
    if (due_.size() == kMostDue) {
      due_.pop_front();
      ++overtaken_;
    }
    due_.push_back({frame, received.stream, due});
  }

  void describe(const DueFrame& taken) {
    const bool is_known = shown_ && shown_->desc == taken.frame->desc && shown_stream_.coding == taken.stream.coding &&
                          shown_stream_.fps == taken.stream.fps;
    shown_stream_ = taken.stream;
    if (!is_known) {
      description_ = stream_description(taken.frame->desc, taken.stream);
      held_ = {};
    }
  }

  void list_uploads(const stream::PooledFrame& frame) {
    const RowChanges changes = frame.changes();
    uploads_.clear();
    for_each_changed_rows(frame.desc, changes, held_,
                          [&](size_t plane, size_t first, size_t end, size_t at, size_t bytes) {
                            uploads_.push_back({static_cast<int>(plane), static_cast<int>(first),
                                                static_cast<int>(end - first), frame.blocks.subspan(at, bytes)});
                          });
    held_ = {changes.sequence, changes.number};
  }

  // The picture's lag, or if the sound cannot arrive that soon, or there is no picture, what the sound itself needs.
  SteadyTime heard_at(const transport::AudioUnit& unit, SteadyTime now) {
    const nanoseconds length = from_seconds(unit.stream.rate > 0 ? double(unit.samples) / unit.stream.rate : 0);
    if (unit.new_stream) next_captured_.reset();
    // A sender that gives no times: samples are counted from the first.
    const nanoseconds captured = unit.captured != WallTime{}
                                     ? unit.captured.time_since_epoch()
                                     : next_captured_.value_or(nanoseconds(std::chrono::seconds(1)));
    next_captured_ = captured + length;
    if (unit.kind == transport::AudioUnit::Kind::sound || !own_lag_) {
      const SteadyTime arrived = unit.arrived == SteadyTime{} ? now : unit.arrived;
      const SteadyTime due = sound_clock_.due({.pts = captured,
                                               .arrived = std::max(arrived, sound_arrived_),
                                               .frame_time = length,
                                               .new_stream = unit.new_stream});
      sound_arrived_ = std::max(arrived, sound_arrived_);
      own_lag_ = due.time_since_epoch() - captured + kSoundReserve;
    }
    return SteadyTime(captured + std::max(lag_.at(now).value_or(*own_lag_), *own_lag_));
  }

  stream::BlockPool pool_{kPoolFrames, kPoolBytes};  // before all that share its frames
  transport::ReceiveSession session_{session_settings(), &pool_};
  transport::AudioSession sound_;
  transport::RtcpReceiver rtcp_;
  stream::CompactReception reception_{0};
  size_t largest_ = 0;  // decoding_cost() of a frame
  SliceShares shares_;
  std::optional<FrameUnderWay> shared_;       // with helpers
  std::set<std::string, std::less<>> asked_;  // of take_needs()
  stream::PlayoutClock clock_, sound_clock_{std::nullopt};
  stream::CursorView cursor_;
  stream::PictureLag lag_;
  uint64_t selected_ = 0;
  std::deque<WaitingFrame> waiting_;
  size_t waiting_bytes_ = 0;
  bool begins_ = false;  // a frame that began a stream was not delivered
  std::deque<DueFrame> due_;
  FrameRef shown_;
  transport::StreamDesc shown_stream_{};
  HeldPicture held_;  // that the page has
  std::vector<WebUpload> uploads_;
  std::deque<TakenFrame> taken_;
  std::optional<std::string> description_, line_;
  std::optional<transport::StreamDesc> refused_;
  std::optional<Cursor> pointer_;
  std::optional<nanoseconds> own_lag_, next_captured_;
  SteadyTime sound_arrived_{};
  std::vector<float> pcm_;
  std::deque<std::vector<std::byte>> outbox_;
  std::vector<std::byte> feedback_;  // was taken from it last
  nanoseconds wall_offset_{};

  // Statistics.
  LatencyWindow decode_, age_;
  uint64_t bytes_ = 0, frames_ = 0, overtaken_ = 0, undecoded_ = 0, unbuffered_ = 0, frames_shared_ = 0;
  uint64_t bytes_before_ = 0, frames_before_ = 0;
  std::optional<SteadyTime> counted_at_;
};

std::string WebPlayer::Impl::statistics(SteadyTime now, WallTime /*wall*/) {
  const double seconds = counted_at_ ? in_seconds(now - *counted_at_) : 0;
  const auto rate = [&](uint64_t count, uint64_t before) {
    return seconds > 0 ? static_cast<double>(count - before) / seconds : 0.0;
  };
  const transport::ReceiveCounters& c = session_.counters();
  const stream::CompactReceived& tiles = reception_.counts();
  constexpr size_t kLatest = 128;
  Json json = Json::object();
  json["fps"] = rate(frames_, frames_before_);
  json["bits_per_s"] = 8 * rate(bytes_, bytes_before_);
  json["decode_ms"] =
      Json::object({{"p50", decode_.milliseconds(0.5, kLatest)}, {"p95", decode_.milliseconds(0.95, kLatest)}});
  const double age = age_.milliseconds(0.5, kLatest);
  const bool is_one_clock = age_.count() > 0 && age > -1 && age < kMostAge;
  if (is_one_clock) json["age_ms"] = Json::object({{"p50", age}, {"p95", age_.milliseconds(0.95, kLatest)}});
  json["frames"] = frames_;
  json["packets"] = c.packets;
  json["lost"] = c.lost;
  json["recovered"] = c.recovered_parity + c.recovered_retransmission;
  json["requested"] = c.requested;
  json["tiles_wrong"] = tiles.wrong;
  json["tile_requests"] = tiles.asked;
  json["overtaken"] = overtaken_;
  json["undecoded"] = undecoded_ + unbuffered_ + c.frames_unbuffered;
  json["queue"] = static_cast<uint64_t>(waiting_.size() + due_.size());
  json["helpers"] = static_cast<uint64_t>(shares_.helpers());
  json["shared"] = frames_shared_;
  json["playout_ms"] = in_milliseconds(clock_.state().delay);
  json["jitter_ms"] = in_milliseconds(clock_.state().jitter);
  if (const auto& sound = sound_.counters(); sound.packets > 0)
    json["sound"] = Json::object({{"packets", sound.packets}, {"lost", sound.lost}, {"restored", sound.restored}});
  if (shown_) {
    json["format"] = name(shown_->desc.format);
    json["coding"] = coding_name(shown_stream_);
  }
  counted_at_ = now;
  bytes_before_ = bytes_;
  frames_before_ = frames_;
  return json.text();
}

WebPlayer::WebPlayer(stream::Latency latency, uint32_t seed) : impl_(std::make_unique<Impl>(latency, seed)) {}
WebPlayer::~WebPlayer() = default;
void WebPlayer::on_message(Bytes message, SteadyTime now, WallTime wall) { impl_->on_message(message, now, wall); }
bool WebPlayer::poll(SteadyTime now, WallTime wall) { return impl_->poll(now, wall); }
std::optional<SteadyTime> WebPlayer::next_deadline() const { return impl_->next_deadline(); }
size_t WebPlayer::largest_frame() const { return impl_->largest_frame(); }
size_t WebPlayer::add_helper(size_t least_share) { return impl_->add_helper(least_share); }
void WebPlayer::lose_helper(size_t helper) { impl_->lose_helper(helper); }
std::optional<Bytes> WebPlayer::take_share(size_t helper) { return impl_->take_share(helper); }
void WebPlayer::decode_own_share() { impl_->decode_own_share(); }
void WebPlayer::on_answer(size_t helper, Bytes answer) { impl_->on_answer(helper, answer); }
std::optional<WebFrame> WebPlayer::take_frame(SteadyTime now) { return impl_->take_frame(now); }
void WebPlayer::take_whole() { impl_->take_whole(); }
void WebPlayer::on_shown(uint64_t number, SteadyTime at) { impl_->on_shown(number, at); }
std::vector<std::string> WebPlayer::take_needs() { return impl_->take_needs(); }
void WebPlayer::give(std::string kind, std::string text) {
  compact::give_trained_text(std::move(kind), std::move(text));
}
std::optional<Bytes> WebPlayer::goodbye(SteadyTime now) { return impl_->goodbye(now); }
std::optional<std::string> WebPlayer::take_description() { return impl_->take_description(); }
std::optional<WebSound> WebPlayer::take_sound(SteadyTime now) { return impl_->take_sound(now); }
std::optional<Cursor> WebPlayer::take_pointer() { return impl_->take_pointer(); }
std::optional<Bytes> WebPlayer::take_feedback(SteadyTime now) { return impl_->take_feedback(now); }
std::optional<std::string> WebPlayer::take_line() { return impl_->take_line(); }
std::string WebPlayer::statistics(SteadyTime now, WallTime wall) { return impl_->statistics(now, wall); }

}  // namespace texcast::player
