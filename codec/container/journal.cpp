#include "container/journal.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ensure.h"

namespace texcast::container {
namespace {

// The last character of the magic is the version. Header: magic, total bytes LE32, CRC-32 of the rest LE32, muxer[16],
// track count LE32, then kJournalTrackBytes for each track and its extradata.
constexpr std::array<char, 8> kJournalMagic = {'T', 'X', 'C', 'J', 'R', 'N', 'L', '1'};
constexpr size_t kJournalPreamble = 16;
constexpr size_t kJournalTrackBytes = 204;
constexpr size_t kMuxerBytes = 16, kCodecBytes = 32, kLanguageBytes = 16, kNameBytes = 64;

// ISA-L takes a length that fits an int64 and does not write, although its pointers are not const.
const unsigned char* raw(Bytes bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

template <int kSize>
void put_le(std::vector<std::byte>& out, uint64_t value) {
  out.resize(out.size() + kSize);
  store_le<kSize>(out, out.size() - kSize, value);
}

void put_journal_text(std::vector<std::byte>& out, std::string_view text, size_t room) {
  ENSURE(text.size() < room);
  const Bytes bytes = as_bytes_of(text);
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.resize(out.size() + room - text.size());
}

std::string journal_text(Bytes field) {
  const auto end = std::find(field.begin(), field.end(), std::byte{0});
  std::string text;
  for (auto at = field.begin(); at != end; ++at) text += static_cast<char>(*at);
  return text;
}

void put_journal_track(std::vector<std::byte>& out, const JournalTrack& t) {
  ENSURE(t.extradata.size() <= kMaxJournalExtradata);
  const size_t begin = out.size();
  put_le<1>(out, static_cast<uint8_t>(t.kind));
  put_le<1>(out, t.primaries);
  put_le<1>(out, t.transfer);
  put_le<1>(out, t.matrix);
  put_le<4>(out, t.range);
  put_journal_text(out, t.codec, kCodecBytes);
  put_journal_text(out, t.language, kLanguageBytes);
  put_journal_text(out, t.name, kNameBytes);
  for (const uint32_t value : {t.tag, t.tick_num, t.tick_den, t.fps_num, t.fps_den, t.width, t.height, t.sample_rate,
                               t.channels, t.sample_format, t.bits_per_sample, t.block_align, t.frame_size,
                               t.initial_padding, static_cast<uint32_t>(t.profile)})
    put_le<4>(out, value);
  put_le<8>(out, t.channel_mask);
  put_le<8>(out, t.bit_rate);
  put_le<2>(out, t.aspect_num);
  put_le<2>(out, t.aspect_den);
  put_le<4>(out, t.extradata.size());
  ENSURE(out.size() - begin == kJournalTrackBytes);
  out.insert(out.end(), t.extradata.begin(), t.extradata.end());
}

std::optional<JournalTrack> take_journal_track(ByteReader& reader) {
  const auto fixed = reader.take(kJournalTrackBytes);
  if (!fixed) return std::nullopt;
  const Bytes b = *fixed;
  JournalTrack t;
  const uint8_t kind = load_u8(b, 0);
  if (kind != 1 && kind != 2) return std::nullopt;
  t.kind = JournalTrack::Kind{kind};
  t.primaries = load_u8(b, 1);
  t.transfer = load_u8(b, 2);
  t.matrix = load_u8(b, 3);
  t.range = load_u8(b, 4);
  t.codec = journal_text(b.subspan(8, kCodecBytes - 1));
  t.language = journal_text(b.subspan(40, kLanguageBytes - 1));
  t.name = journal_text(b.subspan(56, kNameBytes - 1));
  uint32_t profile = 0;
  size_t at = 120;
  for (uint32_t* field :
       {&t.tag, &t.tick_num, &t.tick_den, &t.fps_num, &t.fps_den, &t.width, &t.height, &t.sample_rate, &t.channels,
        &t.sample_format, &t.bits_per_sample, &t.block_align, &t.frame_size, &t.initial_padding, &profile}) {
    *field = load_le32(b, at);
    at += 4;
  }
  t.profile = static_cast<int32_t>(profile);
  t.channel_mask = load_le64(b, at);
  t.bit_rate = load_le64(b, at + 8);
  t.aspect_num = load_le16(b, at + 16);
  t.aspect_den = load_le16(b, at + 18);
  const size_t extra_bytes = load_le32(b, at + 20);
  if (extra_bytes > kMaxJournalExtradata) return std::nullopt;
  const auto extra = reader.take(extra_bytes);
  if (!extra) return std::nullopt;
  t.extradata.assign(extra->begin(), extra->end());
  // Ticks and frame rates are divisors.
  if (t.tick_num == 0 || t.tick_den == 0 || t.fps_den == 0) return std::nullopt;
  return t;
}

std::optional<JournalHeader> take_journal_header(Bytes body) {
  ByteReader reader(body);
  const auto muxer = reader.take(kMuxerBytes);
  const auto count = reader.take_le<4>();
  if (!muxer || !count || *count > kMaxJournalTracks) return std::nullopt;
  JournalHeader header{.muxer = journal_text(muxer->first(kMuxerBytes - 1)), .tracks = {}};
  for (uint64_t i = 0; i < *count; ++i) {
    auto track = take_journal_track(reader);
    if (!track) return std::nullopt;
    header.tracks.push_back(std::move(*track));
  }
  return reader.remaining() == 0 ? std::optional(header) : std::nullopt;
}

std::optional<JournalRecord> journal_record(Bytes b) {
  if (load_le32(b, 0) != crc32(b.subspan(4))) return std::nullopt;
  const uint8_t kind = load_u8(b, 4);
  if (kind < 1 || kind > 3) return std::nullopt;
  return JournalRecord{.kind = JournalRecord::Kind{kind},
                       .track = load_u8(b, 5),
                       .offset = load_le64(b, 8),
                       .size = load_le32(b, 16),
                       .duration = load_le32(b, 20),
                       .pts = static_cast<int64_t>(load_le64(b, 24)),
                       .crc = load_le32(b, 32)};
}

}  // namespace

uint32_t crc32(Bytes bytes, uint32_t before) { return crc32_gzip_refl(before, raw(bytes), bytes.size()); }

std::vector<std::byte> write_journal_header(const JournalHeader& header) {
  ENSURE(header.tracks.size() <= kMaxJournalTracks);
  std::vector<std::byte> out(kJournalPreamble);
  put_journal_text(out, header.muxer, kMuxerBytes);
  put_le<4>(out, header.tracks.size());
  for (const JournalTrack& track : header.tracks) put_journal_track(out, track);
  std::copy_n(as_bytes_of(kJournalMagic).begin(), kJournalMagic.size(), out.begin());
  store_le32(out, 8, static_cast<uint32_t>(out.size()));
  store_le32(out, 12, crc32(Bytes(out).subspan(kJournalPreamble)));
  return out;
}

void append_journal_record(std::vector<std::byte>& journal, const JournalRecord& record) {
  std::array<std::byte, kJournalRecordBytes> b{};
  store_le<1>(b, 4, static_cast<uint8_t>(record.kind));
  store_le<1>(b, 5, record.track);
  store_le64(b, 8, record.offset);
  store_le32(b, 16, record.size);
  store_le32(b, 20, record.duration);
  store_le64(b, 24, static_cast<uint64_t>(record.pts));
  store_le32(b, 32, record.crc);
  store_le32(b, 0, crc32(Bytes(b).subspan(4)));
  journal.insert(journal.end(), b.begin(), b.end());
}

const JournalRecord* Journal::closed() const {
  return !records.empty() && records.back().kind == JournalRecord::Kind::closed ? &records.back() : nullptr;
}

Result<Journal> read_journal(Bytes file) {
  if (file.size() < kJournalPreamble || !std::equal(kJournalMagic.begin(), kJournalMagic.end(), file.begin(),
                                                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; }))
    return Failure{"it is not a journal of a recording"};
  const size_t header_bytes = load_le32(file, 8);
  if (header_bytes < kJournalPreamble || header_bytes > file.size())
    return Failure{"the journal's header is truncated"};
  const Bytes body = file.subspan(kJournalPreamble, header_bytes - kJournalPreamble);
  if (load_le32(file, 12) != crc32(body)) return Failure{"the checksum of the journal's header is wrong"};
  auto header = take_journal_header(body);
  if (!header) return Failure{"the journal's header is inconsistent"};

  Journal journal{.header = std::move(*header), .records = {}};
  const Bytes records = file.subspan(header_bytes);
  const size_t whole = records.size() / kJournalRecordBytes;
  journal.torn = records.size() % kJournalRecordBytes != 0;
  journal.records.reserve(whole);
  for (size_t i = 0; i < whole; ++i) {
    const auto record = journal_record(records.subspan(i * kJournalRecordBytes, kJournalRecordBytes));
    if (!record)
      ++journal.bad_records;
    else
      journal.records.push_back(*record);
  }
  return journal;
}

}  // namespace texcast::container
