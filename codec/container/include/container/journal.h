// journal.h — the journal beside a recording: the data to rebuild its index if it is never closed, and the frames with
// blocks that never arrived. docs/format.md, "Journal", defines every byte.
//
// A header (tracks, with all that a muxer needs), then records of 40 bytes. Each record has its own checksum, so that a
// truncated journal is valid up to its last whole record. Works on bytes alone: no file, no FFmpeg. Thread-safe on
// distinct objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace texcast::container {

// Names and numbers are those of FFmpeg and ITU-T H.273. They are not interpreted here.
struct JournalTrack {
  enum class Kind : uint8_t { video = 1, audio = 2 };
  Kind kind = Kind::video;
  std::string codec;     // FFmpeg's name: "hap", "aac"; up to 31 bytes
  std::string language;  // "eng"; up to 15 bytes
  std::string name{};    // of the track, or empty; up to 63 bytes
  uint32_t tag = 0;      // FourCC, little-endian
  uint32_t tick_num = 1, tick_den = 90'000;
  // video
  uint32_t fps_num = 0, fps_den = 1;
  uint32_t width = 0, height = 0;
  uint8_t primaries = 2, transfer = 2, matrix = 2;
  uint8_t range = 2;                        // 1 limited, 2 full
  uint16_t aspect_num = 0, aspect_den = 0;  // of a pixel; zeros: not known
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
    packet = 1,     // a packet of `track`: `size` bytes at `offset` in the file, with CRC-32 `crc`
    concealed = 2,  // frame number `offset` of the recording has `size` concealed blocks, taken from another frame
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

// Limits of the header: a longer one is not a journal, so that no large allocation is made.
inline constexpr size_t kMaxJournalTracks = 64;
inline constexpr size_t kMaxJournalExtradata = 64 << 10;

// CRC-32 (IEEE 802.3, as in zlib and PNG).
uint32_t crc32(Bytes bytes, uint32_t before = 0);

// Misuse if the header exceeds the limits.
std::vector<std::byte> write_journal_header(const JournalHeader& header);
void append_journal_record(std::vector<std::byte>& journal, const JournalRecord& record);

struct Journal {
  JournalHeader header;
  std::vector<JournalRecord> records;   // those with a valid checksum, in order
  size_t bad_records = 0;               // whole ones with a wrong checksum
  bool torn = false;                    // the last record is truncated
  const JournalRecord* closed() const;  // nullptr: never finished
};

// Reads a journal from outside. Fails if the header is invalid. Invalid records are left out and counted.
Result<Journal> read_journal(Bytes file);

}  // namespace texcast::container
