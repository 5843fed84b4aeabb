#include "container/journal.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace texcast;
using namespace texcast::container;

namespace {

JournalHeader some_header() {
  const std::vector<std::byte> extradata = {std::byte{0x12}, std::byte{0x10}};
  return {.muxer = "mov",
          .tracks = {{.codec = "hap",
                      .language = "und",
                      .name = "texcast ycocg-bc4 Y",
                      .tag = 0x31706148,
                      .tick_num = 1,
                      .tick_den = 120'000,
                      .fps_num = 60'000,
                      .fps_den = 1001,
                      .width = 1918,
                      .height = 1078,
                      .primaries = 9,
                      .transfer = 16,
                      .matrix = 9,
                      .range = 2,
                      .aspect_num = 64,
                      .aspect_den = 45},
                     {.kind = JournalTrack::Kind::audio,
                      .codec = "aac",
                      .language = "deu",
                      .tick_den = 48'000,
                      .sample_rate = 48'000,
                      .channels = 6,
                      .channel_mask = 0x3F,
                      .sample_format = 8,
                      .bits_per_sample = 16,
                      .block_align = 4,
                      .frame_size = 1024,
                      .initial_padding = 1024,
                      .profile = -99,
                      .bit_rate = 192'000,
                      .extradata = extradata}}};
}

JournalRecord packet(uint64_t offset) {
  return {.kind = JournalRecord::Kind::packet,
          .track = 1,
          .offset = offset,
          .size = 1000,
          .duration = 2002,
          .pts = -1024,
          .crc = 0xCBF43926};
}

std::vector<std::byte> some_journal() {
  auto journal = write_journal_header(some_header());
  for (const uint64_t offset : {36ull, 5'000'000'000ull}) append_journal_record(journal, packet(offset));
  append_journal_record(journal, {.kind = JournalRecord::Kind::concealed, .offset = 1, .size = 240});
  return journal;
}

std::string journal_failure(const std::vector<std::byte>& bytes) {
  const auto journal = read_journal(bytes);
  return journal ? "" : journal.error().message;
}

}  // namespace

TEST_CASE("the checksum is the one of zlib, PNG and Ethernet") {
  CHECK(crc32(as_bytes_of(std::string("123456789"))) == 0xCBF43926);  // the check value of CRC-32/ISO-HDLC
  CHECK(crc32(as_bytes_of(std::string("6789")), crc32(as_bytes_of(std::string("12345")))) == 0xCBF43926);
}

TEST_CASE("a journal is read back as it was written") {
  const auto journal = read_journal(some_journal());
  REQUIRE_MESSAGE(journal.has_value(), journal.error().message);
  CHECK(journal->header == some_header());
  REQUIRE(journal->records.size() == 3);
  CHECK(journal->records[1] == packet(5'000'000'000));
  CHECK(journal->records[2].size == 240);
  CHECK(journal->closed() == nullptr);
  CHECK(!journal->torn);
}

TEST_CASE("the pixel aspect ratio takes the place of zeros in older journals: without one, the bytes are the same") {
  JournalHeader header = some_header();
  const auto with = write_journal_header(header);
  header.tracks[0].aspect_num = header.tracks[0].aspect_den = 0;
  const auto without = write_journal_header(header);
  constexpr size_t kPlace = 36 + 196;  // in the first track
  REQUIRE(with.size() == without.size());
  for (size_t i = 16; i < with.size(); ++i)  // after the checksum
    CHECK((with[i] == without[i]) == (i != kPlace && i != kPlace + 2));
  CHECK(load_le32(without, kPlace) == 0);
}

TEST_CASE("a closed journal says so, and how long the file is") {
  auto bytes = some_journal();
  append_journal_record(bytes, {.kind = JournalRecord::Kind::closed, .offset = 123});
  const auto journal = read_journal(bytes);
  REQUIRE((journal && journal->closed()));
  CHECK(journal->closed()->offset == 123);
}

TEST_CASE("a journal that is cut off anywhere has its complete records, or cannot be read") {
  const auto whole = some_journal();
  const size_t header_bytes = write_journal_header(some_header()).size();
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const auto journal = read_journal(Bytes(whole).first(size));
    CHECK(journal.has_value() == (size >= header_bytes));
    if (!journal) continue;
    CHECK(journal->records.size() == (size - header_bytes) / kJournalRecordBytes);
    CHECK(journal->torn == ((size - header_bytes) % kJournalRecordBytes != 0));
  }
}

TEST_CASE("one wrong bit anywhere: no header, or one record less") {
  const auto whole = some_journal();
  const size_t header_bytes = write_journal_header(some_header()).size();
  for (size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    auto bytes = whole;
    bytes[at] ^= static_cast<std::byte>(1 << at % 8);
    const auto journal = read_journal(bytes);
    CHECK(journal.has_value() == (at >= header_bytes));
    if (!journal) continue;
    CHECK(journal->records.size() == 2);
    CHECK(journal->bad_records == 1);
  }
}

TEST_CASE("an inconsistent header is refused, though its checksum is correct") {
  const auto with = [](size_t at, uint32_t value) {
    auto bytes = some_journal();
    store_le32(bytes, at, value);
    store_le32(bytes, 12, crc32(Bytes(bytes).subspan(16, load_le32(bytes, 8) - 16)));
    return journal_failure(bytes);
  };
  constexpr size_t kTracks = 32, kFirst = 36;  // the number of tracks, and the first track
  CHECK(with(kTracks, 2) == "");
  for (const uint32_t count : {0u, 1u, 3u, 65u, 0xFFFFFFFFu})
    CHECK_MESSAGE(with(kTracks, count) == "the journal's header is inconsistent", count);
  CHECK(with(kFirst, 3) != "");        // neither video nor audio
  CHECK(with(kFirst + 124, 0) != "");  // ticks of 0/n s
  CHECK(with(kFirst + 128, 0) != "");  // ticks of n/0 s
  CHECK(with(kFirst + 200, 1) != "");  // extradata that extends into the next track
  CHECK(with(kFirst + 200, 1 << 17) != "");
}
