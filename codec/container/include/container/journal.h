// journal.h — the journal beside a recording: what is needed to rebuild its index if it is never closed, and which
// frames have blocks that never arrived. docs/format.md, "Journal", has every byte.
//
// A header (tracks, with all that a muxer wants to know of them), then records of 40 bytes, each with a checksum of
// its own, so that a journal that breaks off anywhere is good up to there. Bytes only: no file, no FFmpeg.
// Thread-safe on distinct objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace texcast::container {

// Names and numbers are those of FFmpeg and ITU-T H.273; nothing here judges them.
struct JournalTrack {
  enum class Kind : uint8_t { video = 1, audio = 2 };
  Kind kind = Kind::video;
  std::string codec;     // FFmpeg's name: "hap", "aac"; up to 31 bytes
  std::string language;  // "eng"; up to 15 bytes
  std::string name{};    // of the track, where it has one; up to 63 bytes
  uint32_t tag = 0;      // FourCC, little-endian
  uint32_t tick_num = 1, tick_den = 90'000;
  // video
  uint32_t fps_num = 0, fps_den = 1;
  uint32_t width = 0, height = 0;
  uint8_t primaries = 2, transfer = 2, matrix = 2;
  uint8_t range = 2;                        // 1 limited, 2 full
  uint16_t aspect_num = 0, aspect_den = 0;  // of a pixel; zeros: not said
  // audio
  uint32_t sample_rate = 0;
  uint32_t channels = 0;
  uint64_t channel_mask = 0;
  uint32_t sample_format = 0;
  uint32_t bits_per_sample = 0;
  uint32_t block_align = 0;
  uint32_t frame_size = 0;
  uint32_t initial_padding = 0;
  int32_t profile = 0;
  uint64_t bit_rate = 0;
  std::vector<std::byte> extradata{};  // up to 64 KiB
  bool operator==(const JournalTrack&) const = default;
};

struct JournalHeader {
  std::string muxer;  // FFmpeg's name: "mov", "matroska"; up to 15 bytes
  std::vector<JournalTrack> tracks;
  bool operator==(const JournalHeader&) const = default;
};

struct JournalRecord {
  enum class Kind : uint8_t {
    packet = 1,     // of `track`, `size` bytes at `offset` in the file, whose CRC-32 is `crc`
    concealed = 2,  // frame number `offset` of the recording has `size` blocks that were filled in from another frame
    closed = 3,     // the recording was finished and has `offset` bytes
  };
  Kind kind = Kind::packet;
  uint8_t track = 0;
  uint64_t offset = 0;
  uint32_t size = 0;
  uint32_t duration = 0;  // ticks
  int64_t pts = 0;        // ticks
  uint32_t crc = 0;
  bool operator==(const JournalRecord&) const = default;
};

inline constexpr size_t kJournalRecordBytes = 40;

// Limits on the header, so that nothing large is believed: a longer one is no journal.
inline constexpr size_t kMaxJournalTracks = 64;
inline constexpr size_t kMaxJournalExtradata = 64 << 10;

// CRC-32 (IEEE 802.3, as in zlib and PNG).
uint32_t crc32(Bytes bytes, uint32_t before = 0);

// Misuse where the header is beyond the limits.
std::vector<std::byte> write_journal_header(const JournalHeader& header);
void append_journal_record(std::vector<std::byte>& journal, const JournalRecord& record);

struct Journal {
  JournalHeader header;
  std::vector<JournalRecord> records;   // those whose checksum holds, in order
  size_t bad_records = 0;               // whole ones whose checksum does not hold
  bool torn = false;                    // its last record breaks off
  const JournalRecord* closed() const;  // nullptr: never finished
};

// A journal from outside. A Failure when the header does not hold; records that do not are left out and counted.
Result<Journal> read_journal(Bytes file);

}  // namespace texcast::container
