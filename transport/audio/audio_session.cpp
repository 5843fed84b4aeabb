#include "transport/audio_session.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>
#include <vector>

#include "audio_parity.h"
#include "transport/audio_opener.h"
#include "transport/byte_coverage.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/pcm_samples.h"

namespace texcast::transport {
namespace {

using std::chrono_literals::operator""ms;

constexpr size_t kSlots = 64;  // buffers that wait for earlier ones
constexpr uint32_t kMaxChannelBytes = 65536;
constexpr size_t kMaxPieces = 64;           // in which a channel's bytes may arrive
constexpr nanoseconds kReorder = 5ms;       // how late packets may be without parity
constexpr nanoseconds kParitySlack = 8ms;   // how late parity may be, beyond the sender's announcement
constexpr nanoseconds kSenderGone = 300ms;  // silence after which another sender is selected
constexpr int kLeastRate = 8000, kMostRate = 192'000;
constexpr uint32_t kOpusRate = 48'000;
constexpr int64_t kLongestGapPart = 2;  // of a second: longer gaps are jumps

// Distance from `b` to `a`, of numbers that wrap at 22 bits.
int32_t id_distance(uint32_t a, uint32_t b) {
  constexpr int kUnused = 32 - kBufferIdBits;
  return static_cast<int32_t>((a - b) << kUnused) >> kUnused;
}

// One channel of a buffer in progress.
struct Channel {
  std::vector<std::byte> bytes;
  ByteCoverage coverage;
  uint32_t length = 0;  // 0: nothing of it has arrived
  void clear() {
    length = 0;
    coverage.clear();
  }
  bool whole() const { return length > 0 && coverage.covered() == length; }
};

// A buffer in progress.
struct Slot {
  bool used = false;
  uint32_t id = 0;
  AudioStream stream{};
  bool has_extension = false;
  AudioExtension extension{};
  uint32_t timestamp = 0;
  int channels = 0;              // of the stream; 0: unknown
  std::vector<Channel> channel;  // as many as have arrived; reused with their memory
  SteadyTime first{}, last{};

  void begin(uint32_t number) {
    used = true;
    id = number;
    channels = 0;
    has_extension = false;
    for (Channel& one : channel) one.clear();
  }
  bool whole(int known) const {
    const int all = channels > 0 ? channels : known;
    if (all == 0) return false;
    for (size_t i = 0; i < static_cast<size_t>(all); ++i)
      if (i >= channel.size() || !channel[i].whole()) return false;
    return true;
  }
};

}  // namespace

struct AudioSession::State {
  explicit State(const AudioSessionSettings& settings) : opener(settings.keys, settings.cipher, settings.max_age) {}

  void take_rtp(Bytes datagram, SteadyTime now, bool restored);
  bool select(uint32_t number, SteadyTime now);
  bool is_new(uint16_t sequence);
  void take_media(const RtpPacket& rtp, SteadyTime now);
  void forget();
  Slot& slot_of(uint32_t id) { return slots[id % kSlots]; }
  Slot* first_later();
  nanoseconds hold(const Slot& later) const;
  AudioUnit give(Slot& slot);
  std::optional<AudioUnit> gap_before(const Slot& slot);

  AudioOpener opener;
  AudioParity parity;
  AudioCounters counters;
  uint32_t ssrc = 0;
  bool is_selected = false;
  SteadyTime heard{};
  std::vector<Slot> slots = std::vector<Slot>(kSlots);
  size_t pending = 0;  // bytes of all slots' memory
  bool begun = false;
  uint32_t next_id = 0;
  bool lost_before = false;  // ids were skipped since the last unit

  bool given_any = false;
  AudioStream stream{};
  uint64_t position = 0;  // after the last unit
  uint32_t last_samples = 0;
  WallTime captured{};  // end of the last unit; zero: unknown
  uint32_t last_timestamp = 0;
  std::array<Bytes, kMaxChannels> given{};

  // Sequence numbers that have arrived, from the highest downwards.
  bool any_sequence = false;
  uint16_t highest = 0;
  uint16_t far_next = 0;  // successor of the last number that was far from the others
  std::bitset<1024> seen;
};

AudioSession::AudioSession(const AudioSessionSettings& settings) : state_(std::make_unique<State>(settings)) {}
AudioSession::~AudioSession() = default;
const AudioCounters& AudioSession::counters() const { return state_->counters; }
uint32_t AudioSession::ssrc() const { return state_->is_selected ? state_->ssrc : 0; }

void AudioSession::forget_sender() {
  state_->forget();
  state_->is_selected = false;
}

void AudioSession::on_datagram(Bytes datagram, SteadyTime now, WallTime wall) {
  State& s = *state_;
  const auto opened = s.opener.open(datagram, wall);
  if (!opened) {
    ++s.counters.refused;
    return;
  }
  if (const auto own = parse_own_datagram(*opened)) {
    const auto packet =
        own->type == static_cast<uint8_t>(OwnType::sound_parity) ? parse_audio_parity(own->body) : std::nullopt;
    if (!packet || !s.is_selected || packet->ssrc != s.ssrc) {
      ++(own->type == static_cast<uint8_t>(OwnType::sound_parity) && !packet ? s.counters.malformed
                                                                             : s.counters.foreign);
      return;
    }
    s.heard = now;
    ++s.counters.packets;
    s.counters.bytes += datagram.size();
    s.parity.add(*packet);
  } else {
    s.take_rtp(*opened, now, false);
  }
  while (true) {
    const Bytes restored = s.parity.restore();
    if (restored.empty()) break;
    s.take_rtp(restored, now, true);
  }
}

void AudioSession::State::take_rtp(Bytes datagram, SteadyTime now, bool restored) {
  auto rtp = parse_rtp(datagram);
  if (!rtp) {
    ++counters.malformed;
    return;
  }
  if (rtp->payload_type != kAudioPayloadType && rtp->payload_type != kEncryptedAudioPayloadType) {
    ++counters.foreign;
    return;
  }
  if (!restored && !opener.open_media(*rtp)) {
    ++counters.refused;
    return;
  }
  if (!select(rtp->ssrc, now)) {
    ++counters.foreign;
    return;
  }
  if (!is_new(rtp->sequence)) {
    ++counters.duplicates;
    return;
  }
  heard = now;
  if (restored) {
    ++counters.restored;
    if (counters.lost > 0) --counters.lost;
  } else {
    ++counters.packets;
    counters.bytes += datagram.size();
  }
  take_media(*rtp, now);
  if (!restored && rtp->extension_id == kExtensionId) parity.keep(rtp->sequence, datagram);
}

bool AudioSession::State::select(uint32_t number, SteadyTime now) {
  if (is_selected && number == ssrc) return true;
  if (is_selected && now - heard < kSenderGone) return false;
  forget();
  is_selected = true;
  ssrc = number;
  return true;
}

void AudioSession::State::forget() {
  parity.clear();
  for (Slot& slot : slots) slot.used = false;
  begun = given_any = any_sequence = lost_before = false;
  seen.reset();
}

// Counts numbers missing between the highest and this one as lost until they arrive. A number far from the others is
// accepted once its successor has arrived too: then the sender has restarted, and it is no damaged packet.
bool AudioSession::State::is_new(uint16_t sequence) {
  const auto ahead = static_cast<int16_t>(sequence - highest);
  const auto most = static_cast<int>(seen.size());
  if (!any_sequence || ahead >= most || ahead <= -most) {
    const bool starts_over = !any_sequence || sequence == far_next;
    far_next = static_cast<uint16_t>(sequence + 1);
    if (!starts_over) return false;
    any_sequence = true;
    highest = sequence;
    seen.reset();
  } else if (ahead > 0) {
    counters.lost += static_cast<uint64_t>(ahead - 1);
    for (int i = 1; i < ahead; ++i) seen.reset(static_cast<uint16_t>(highest + i) % seen.size());
    highest = sequence;
  } else {
    if (seen.test(sequence % seen.size())) return false;
    if (counters.lost > 0) --counters.lost;
  }
  seen.set(sequence % seen.size());
  return true;
}

void AudioSession::State::take_media(const RtpPacket& rtp, SteadyTime now) {
  const auto header = parse_audio_header(rtp.payload);
  const auto coding = header ? coding_of_tag(header->tag) : std::nullopt;
  const Bytes piece = header ? rtp.payload.subspan(kAudioHeaderBytes) : Bytes{};
  const bool is_sound =
      header && coding && static_cast<int>(header->rate) >= kLeastRate && static_cast<int>(header->rate) <= kMostRate &&
      header->length > 0 && header->length <= kMaxChannelBytes && !piece.empty() && header->offset < header->length &&
      piece.size() <= header->length - header->offset && (*coding != AudioCoding::pcm || pcm_bytes(header->bits) > 0);
  if (!is_sound) {
    ++counters.malformed;
    return;
  }
  const auto extension =
      rtp.extension_id == kExtensionId ? parse_audio_extension(rtp.extension) : std::optional<AudioExtension>{};
  const int32_t ahead = begun ? id_distance(header->buffer_id, next_id) : 0;
  if (!begun || ahead < -static_cast<int32_t>(8 * kSlots) || ahead > static_cast<int32_t>(8 * kSlots)) {
    for (Slot& slot : slots) slot.used = false;
    begun = true;
    given_any = false;
    next_id = header->buffer_id;
  } else if (ahead < 0) {
    return;  // too late
  }
  // Nobody has called next() for that long.
  while (id_distance(header->buffer_id, next_id) >= static_cast<int32_t>(kSlots)) {
    slot_of(next_id).used = false;
    next_id = (next_id + 1) & kBufferIdMask;
    lost_before = true;
  }
  Slot& slot = slot_of(header->buffer_id);
  if (!slot.used) {
    slot.begin(header->buffer_id);
    slot.first = now;
  }
  slot.stream = {
      .coding = *coding, .rate = static_cast<int>(header->rate), .bits = header->bits, .channels = slot.channels};
  slot.timestamp = rtp.timestamp;
  slot.last = now;
  if (header->channel >= kMaxChannels) {
    if (rtp.marker || extension) slot.channels = kMaxChannels;
    return;
  }
  if (extension && extension->channels > 0 && extension->samples > 0) {
    slot.has_extension = true;
    slot.extension = *extension;
    slot.channels = std::min<int>(extension->channels, kMaxChannels);
  } else if (rtp.marker) {
    slot.channels = header->channel + 1;
  }
  if (slot.channel.size() <= header->channel) slot.channel.resize(header->channel + size_t{1});
  Channel& channel = slot.channel[header->channel];
  if (channel.length == 0) {
    if (channel.bytes.size() < header->length) {
      if (pending + header->length - channel.bytes.size() > kMaxPending) return;
      pending += header->length - channel.bytes.size();
      channel.bytes.resize(header->length);
    }
    channel.length = header->length;
  }
  if (channel.length != header->length || channel.coverage.intervals().size() > kMaxPieces) {
    ++counters.malformed;
    return;
  }
  channel.coverage.add(header->offset, header->offset + static_cast<uint32_t>(piece.size()));
  std::ranges::copy(piece, channel.bytes.begin() + static_cast<std::ptrdiff_t>(header->offset));
}

Slot* AudioSession::State::first_later() {
  for (uint32_t i = 1; i < kSlots; ++i) {
    Slot& slot = slot_of(next_id + i);
    if (slot.used) return &slot;
  }
  return nullptr;
}

nanoseconds AudioSession::State::hold(const Slot& later) const {
  if (!later.has_extension || later.extension.parity_ms == 0) return kReorder;
  return std::chrono::milliseconds(later.extension.parity_ms) + kParitySlack;
}

// The gap between the last unit and this one, if there is any.
std::optional<AudioUnit> AudioSession::State::gap_before(const Slot& slot) {
  const bool lost = std::exchange(lost_before, false);
  if (!given_any) return std::nullopt;
  int64_t gap = 0;
  if (slot.has_extension)
    gap = static_cast<int32_t>(slot.extension.position - static_cast<uint32_t>(position));
  else if (lost)
    gap = int64_t{last_samples} * std::max(1, id_distance(slot.id, next_id));
  if (gap == 0) return std::nullopt;
  if (gap < 0 || gap > stream.rate / kLongestGapPart) {
    given_any = false;  // a jump
    return std::nullopt;
  }
  if (lost) ++counters.units_lost;
  AudioUnit unit{.kind = lost ? AudioUnit::Kind::lost : AudioUnit::Kind::silent,
                 .stream = stream,
                 .position = position,
                 .samples = static_cast<uint32_t>(gap),
                 .captured = captured,
                 .timestamp = last_timestamp,
                 .arrived = slot.last};
  position += static_cast<uint64_t>(gap);
  if (captured != WallTime{}) captured += nanoseconds(gap * 1'000'000'000 / stream.rate);
  return unit;
}

AudioUnit AudioSession::State::give(Slot& slot) {
  AudioStream now = slot.stream;
  now.channels = slot.channels > 0 ? slot.channels : stream.channels;
  const bool fresh = !given_any || now != stream;
  if (fresh) {
    position = slot.has_extension ? slot.extension.position : 0;
    stream = now;
  }
  given_any = true;
  bool missing = false;
  uint32_t samples = slot.has_extension ? slot.extension.samples : 0;
  slot.channel.resize(std::max(slot.channel.size(), static_cast<size_t>(now.channels)));
  for (int i = 0; i < now.channels; ++i) {
    const Channel& channel = slot.channel[static_cast<size_t>(i)];
    given[static_cast<size_t>(i)] = channel.whole() ? Bytes(channel.bytes).first(channel.length) : Bytes{};
    missing = missing || !channel.whole();
    if (slot.has_extension || !channel.whole()) continue;
    samples = now.coding == AudioCoding::pcm
                  ? channel.length / static_cast<uint32_t>(pcm_bytes(now.bits))
                  : opus_samples(given[static_cast<size_t>(i)]) * static_cast<uint32_t>(now.rate) / kOpusRate;
  }
  ++counters.units;
  if (missing) ++counters.units_lost;
  AudioUnit unit{.new_stream = fresh,
                 .stream = stream,
                 .position = position,
                 .samples = samples,
                 .captured = slot.has_extension ? slot.extension.captured : WallTime{},
                 .timestamp = slot.timestamp,
                 .channels = std::span(given).first(static_cast<size_t>(now.channels)),
                 .arrived = slot.last};
  last_samples = samples;
  last_timestamp = slot.timestamp;
  position += samples;
  captured = unit.captured == WallTime{} ? WallTime{}
                                         : unit.captured + nanoseconds(int64_t{samples} * 1'000'000'000 / stream.rate);
  slot.used = false;
  next_id = (slot.id + 1) & kBufferIdMask;
  return unit;
}

std::optional<AudioUnit> AudioSession::next(SteadyTime now) {
  State& s = *state_;
  if (!s.begun) return std::nullopt;
  Slot* slot = &s.slot_of(s.next_id);
  if (!slot->used || !slot->whole(s.stream.channels)) {
    Slot* const later = s.first_later();
    if (later == nullptr || now < later->first + s.hold(*later)) return std::nullopt;
    if (!slot->used || (slot->channels == 0 && s.stream.channels == 0)) {
      slot->used = false;
      s.lost_before = true;
      slot = later;
      if (!slot->whole(s.stream.channels) && now < slot->last + s.hold(*slot)) {
        // Its own packets may still arrive; those before it are lost in any case.
        const bool known = s.given_any && (slot->has_extension || s.last_samples > 0);
        if (!known) {
          s.next_id = slot->id;
          return std::nullopt;
        }
        const auto gap = s.gap_before(*slot);
        s.next_id = slot->id;
        return gap;
      }
    }
  }
  if (const auto gap = s.gap_before(*slot)) {
    s.next_id = slot->id;
    return gap;
  }
  if (slot->channels == 0 && s.stream.channels == 0) {  // the number of channels is unknown
    slot->used = false;
    s.next_id = (slot->id + 1) & kBufferIdMask;
    return std::nullopt;
  }
  return s.give(*slot);
}

std::optional<SteadyTime> AudioSession::next_deadline() const {
  State& s = *state_;
  if (!s.begun) return std::nullopt;
  const Slot* const later = s.first_later();
  if (later == nullptr) return std::nullopt;
  return later->first + s.hold(*later);
}

}  // namespace texcast::transport
