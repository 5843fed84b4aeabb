// Headers compared with bytes written by hand from the formats' own specifications (RFC 3550, UltraGrid's header).
#include "transport/packet.h"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <vector>

#include "support.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (int v : values) result.push_back(static_cast<std::byte>(v));
  return result;
}

// V=2, PT 20, marker, sequence 0x0102, time stamp 0x03040506, SSRC 0x0708090A.
const auto kFixed = bytes_of({0x80, 0x94, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});

std::vector<std::byte> with(std::vector<std::byte> head, int first_byte, std::initializer_list<int> tail) {
  head[0] = static_cast<std::byte>(first_byte);
  for (int v : tail) head.push_back(static_cast<std::byte>(v));
  return head;
}

}  // namespace

TEST_CASE("RTP: fixed header") {
  const auto datagram = with(kFixed, 0x80, {42});
  const auto packet = parse_rtp(datagram);
  REQUIRE(packet);
  CHECK(packet->payload_type == 20);
  CHECK(packet->marker);
  CHECK(packet->sequence == 0x0102);
  CHECK(packet->timestamp == 0x03040506);
  CHECK(packet->ssrc == 0x0708090A);
  CHECK_FALSE(packet->extension_id);
  REQUIRE(packet->payload.size() == 1);
  CHECK(packet->payload[0] == std::byte{42});
}

TEST_CASE("RTP: CSRCs, extension and padding are removed; invalid lengths are refused") {
  struct Row {
    const char* name;
    std::vector<std::byte> datagram;
    int payload_bytes;  // -1: refused
  };
  const Row rows[] = {
      {"nothing", {}, -1},
      {"one byte short of a header", bytes_of({0x80, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0}), -1},
      {"version 1", with(kFixed, 0x40, {1}), -1},
      {"version 3", with(kFixed, 0xC0, {1}), -1},
      {"header alone", kFixed, 0},
      {"two CSRCs", with(kFixed, 0x82, {1, 2, 3, 4, 5, 6, 7, 8, 9}), 1},
      {"CSRCs cut off", with(kFixed, 0x82, {1, 2, 3, 4, 5, 6, 7}), -1},
      {"extension of one word", with(kFixed, 0x90, {0xBE, 0xDE, 0, 1, 1, 2, 3, 4, 9, 9}), 2},
      {"empty extension", with(kFixed, 0x90, {0xBE, 0xDE, 0, 0, 9, 9}), 2},
      {"extension preamble cut off", with(kFixed, 0x90, {0xBE, 0xDE, 0}), -1},
      {"extension longer than the datagram", with(kFixed, 0x90, {0xBE, 0xDE, 0xFF, 0xFF, 1, 2, 3, 4}), -1},
      {"padding of three", with(kFixed, 0xA0, {9, 0, 0, 3}), 1},
      {"padding of all", with(kFixed, 0xA0, {0, 2}), 0},
      {"padding of zero", with(kFixed, 0xA0, {9, 0}), -1},
      {"padding beyond the payload", with(kFixed, 0xA0, {9, 3}), -1},
      {"padding of nothing", with(kFixed, 0xA0, {}), -1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto packet = parse_rtp(row.datagram);
    CHECK(packet.has_value() == (row.payload_bytes >= 0));
    if (packet && row.payload_bytes >= 0) CHECK(packet->payload.size() == static_cast<size_t>(row.payload_bytes));
  }
}

TEST_CASE("video header: bits are where UltraGrid puts them") {
  const VideoHeader header{.substream = 3,
                           .buffer_id = 0x3ABCDE,
                           .offset = 0x01020304,
                           .length = 0x11121314,
                           .width = 1920,
                           .height = 1080,
                           .fourcc = kFourCcDxt1,
                           .interlacing = 3,
                           .fps = 25};
  std::array<std::byte, kVideoHeaderBytes> written{};
  CHECK(write_video_header(written, header) == kVideoHeaderBytes);
  const auto expected = bytes_of({0x00, 0xFA, 0xBC, 0xDE, 1,    2,    3,    4,    0x11, 0x12, 0x13, 0x14,
                                  0x07, 0x80, 0x04, 0x38, 0x44, 0x58, 0x54, 0x31, 0x60, 0xC8, 0x80, 0x00});
  CHECK(same(written, expected));

  const auto read = parse_video_header(expected);
  REQUIRE(read);
  CHECK(read->substream == 3);
  CHECK(read->buffer_id == 0x3ABCDE);
  CHECK(read->offset == 0x01020304);
  CHECK(read->length == 0x11121314);
  CHECK(read->width == 1920);
  CHECK(read->height == 1080);
  CHECK(read->fourcc == kFourCcDxt1);
  CHECK(read->interlacing == 3);
  CHECK(read->fps == 25);
  CHECK_FALSE(parse_video_header(Bytes(expected).first(23)));
}

TEST_CASE("FEC header: bits are where UltraGrid puts them") {
  // Frame 0x2A1B2C of tile 1, offset 0x00010203, block of 448 symbols of 152 bytes, LDGM 256/192/5, seed 1.
  const auto expected = bytes_of(
      {0x00, 0x6A, 0x1B, 0x2C, 0x00, 0x01, 0x02, 0x03, 0x00, 0x01, 0x0A, 0x00, 0x08, 0x00, 0x30, 0x05, 0, 0, 0, 1});
  const auto read = parse_fec_header(expected);
  REQUIRE(read);
  CHECK(read->substream == 1);
  CHECK(read->buffer_id == 0x2A1B2C);
  CHECK(read->offset == 0x010203);
  CHECK(read->block_length == 448 * 152);
  CHECK(read->k == 256);
  CHECK(read->m == 192);
  CHECK(read->c == 5);
  CHECK(read->seed == 1);
  CHECK(read->symbol_bytes() == 152);
  std::array<std::byte, kFecHeaderBytes> written{};
  CHECK(write_fec_header(written, *read) == kFecHeaderBytes);
  CHECK(same(written, expected));
  CHECK_FALSE(parse_fec_header(Bytes(expected).first(19)));
}

TEST_CASE("FEC header: possible and impossible shapes") {
  const auto rs = [](uint32_t length, int k, int m) {
    FecHeader h{.block_length = length, .k = static_cast<uint16_t>(k), .m = static_cast<uint16_t>(m)};
    return is_plausible(FecScheme::reed_solomon, h);
  };
  CHECK(rs(240 * 193, 200, 40));
  CHECK(rs(255, 254, 1));
  CHECK(rs(2 * 29, 1, 1));
  CHECK_FALSE(rs(2 * 28, 1, 1));       // no room for a frame
  CHECK_FALSE(rs(256, 255, 1));        // beyond the field's limit
  CHECK_FALSE(rs(240 * 193, 0, 240));  // no data
  CHECK_FALSE(rs(240 * 193, 240, 0));  // no parity
  CHECK_FALSE(rs(240 * 193 + 1, 200, 40));
  CHECK_FALSE(rs(0, 200, 40));
  const auto ldgm = [](uint32_t length, int k, int m, int c, uint32_t seed) {
    FecHeader h{.block_length = length,
                .k = static_cast<uint16_t>(k),
                .m = static_cast<uint16_t>(m),
                .c = static_cast<uint8_t>(c),
                .seed = seed};
    return is_plausible(FecScheme::ldgm, h);
  };
  CHECK(ldgm(448 * 152, 256, 192, 5, 1));
  CHECK(ldgm(2 * 8191 * 4, 8191, 8191, 63, 0x7FFFFFFE));
  CHECK_FALSE(ldgm(448 * 152, 256, 192, 0, 1));
  CHECK_FALSE(ldgm(320 * 152, 256, 64, 63, 0));           // the generator would get stuck
  CHECK_FALSE(ldgm(320 * 152, 256, 64, 63, 0x7FFFFFFF));  // the same
  CHECK_FALSE(ldgm(261 * 152, 256, 5, 6, 1));             // six different rows out of five
  CHECK_FALSE(ldgm(448 * 152 + 4, 256, 192, 5, 1));
  CHECK_FALSE(is_plausible(FecScheme::none, {.block_length = 448 * 152, .k = 256, .m = 192, .c = 5, .seed = 1}));
}

TEST_CASE("crypto header and payload types") {
  const auto cbc = bytes_of({4, 0, 0, 0});
  REQUIRE(parse_crypto_header(cbc));
  CHECK(parse_crypto_header(cbc)->mode == 4);
  CHECK_FALSE(parse_crypto_header(Bytes(cbc).first(3)));
  std::array<std::byte, kCryptoHeaderBytes> written{};
  CHECK(write_crypto_header(written, {.mode = 4}) == kCryptoHeaderBytes);
  CHECK(same(written, cbc));

  const std::vector<int> videos = {20, 22, 24, 27, 29, 30}, sealed = {24, 29, 30}, ldgm = {22, 29}, rs = {27, 30};
  const auto has = [](const std::vector<int>& list, int value) { return std::ranges::count(list, value) > 0; };
  for (int type = 0; type < 128; ++type) {
    CAPTURE(type);
    const auto payload_type = static_cast<uint8_t>(type);
    CHECK(is_video(payload_type) == has(videos, type));
    CHECK(is_encrypted(payload_type) == has(sealed, type));
    CHECK((fec_scheme(payload_type) == FecScheme::ldgm) == has(ldgm, type));
    CHECK((fec_scheme(payload_type) == FecScheme::reed_solomon) == has(rs, type));
    CHECK(is_fec(payload_type) == (has(ldgm, type) || has(rs, type)));
  }
}

TEST_CASE("frame rate words") {
  struct Row {
    double fps;
    uint32_t word;
    double back;
  };
  // The first four are UltraGrid's own (captures and its documentation); 5 is its quirk.
  const Row rows[] = {{25, 0x00C88000, 25},
                      {60, 0x01E08000, 60},
                      {60000.0 / 1001, 0x01E0C000, 60000.0 / 1001},
                      {5, 0x0028C000, 5},
                      {59.94, 0x01E0C000, 60000.0 / 1001},
                      {24000.0 / 1001, 0x00C0C000, 24000.0 / 1001},
                      {1, 0x00088000, 1},
                      {0.2, 1u << 19 | 5u << 15, 0.2},
                      {12.5, 25u << 19 | 2u << 15, 12.5},
                      {1023, 1023u << 19 | 1u << 15, 1023},
                      {240, 240u << 19 | 1u << 15, 240}};
  for (const Row& row : rows) {
    CAPTURE(row.fps);
    CHECK(encode_fps(row.fps) == row.word);
    CHECK(decode_fps(encode_fps(row.fps)) == doctest::Approx(row.back).epsilon(1e-9));
  }
  CHECK(decode_fps(encode_fps(0.01)) == doctest::Approx(0.01));
  CHECK(decode_fps(0) == 30);          // invalid
  CHECK(decode_fps(25u << 19) == 30);  // divisor 0
  CHECK(decode_fps(0xFFFFFFFF) > 0);
  for (double odd : {-1.0, 0.0, 1e-9, 1e9}) CHECK(decode_fps(encode_fps(odd)) > 0);
}

TEST_CASE("extension: times survive with a resolution of a microsecond, unknown ones as unknown") {
  StreamExtension sent{
      .texture_format = 2, .matrix = 2, .range = 0, .primaries = 9, .transfer = 16, .width = 1919, .height = 1079};
  sent.pixel_aspect = 0x05D1;
  sent.available = WallTime(nanoseconds(1'700'000'000'123'456'789));
  sent.encoded = sent.available + 4321us;
  sent.sent = sent.encoded + 17us;
  std::array<std::byte, kExtensionBytes> bytes{};
  CHECK(write_stream_extension(bytes, sent) == kExtensionBytes);
  const Bytes all(bytes);
  CHECK(load_be16(all, 0) == 0x5443);
  CHECK(load_be16(all, 2) == 7);
  CHECK(load_be16(all, 10) == 0x05D1);
  const auto read = parse_stream_extension(all.subspan(4));
  REQUIRE(read);
  CHECK(read->texture_format == 2);
  CHECK(read->matrix == 2);
  CHECK(read->range == 0);
  CHECK(read->primaries == 9);
  CHECK(read->transfer == 16);
  CHECK(read->pixel_aspect == 0x05D1);
  CHECK(read->width == 1919);
  CHECK(read->height == 1079);
  CHECK(read->available == sent.available);
  CHECK(read->encoded == sent.encoded);
  CHECK(read->sent == sent.sent);

  SUBCASE("short or of another version") {
    CHECK_FALSE(parse_stream_extension(all.subspan(4).first(27)));
    bytes[4] = std::byte{2};
    CHECK_FALSE(parse_stream_extension(Bytes(bytes).subspan(4)));
  }
  SUBCASE("a longer one is read as far as it is known") {
    std::vector<std::byte> longer(bytes.begin() + 4, bytes.end());
    longer.resize(64);
    CHECK(parse_stream_extension(longer)->width == 1919);
  }
  SUBCASE("unknown times") {
    sent.available = {};
    write_stream_extension(bytes, sent);
    const auto unknown = parse_stream_extension(Bytes(bytes).subspan(4));
    CHECK(unknown->available == WallTime{});
    CHECK(unknown->encoded == WallTime{});
    CHECK(unknown->sent == WallTime{});
  }
  SUBCASE("a clock that stepped back") {
    sent.encoded = sent.available - 1s;
    write_stream_extension(bytes, sent);
    CHECK(parse_stream_extension(Bytes(bytes).subspan(4))->encoded == sent.available);
  }
  SUBCASE("a time beyond 2262 does not overflow") {
    for (size_t i = 16; i < 32; ++i) bytes[i] = std::byte{0xFE};
    CHECK(parse_stream_extension(Bytes(bytes).subspan(4))->available == WallTime{});
  }
}
