// EAC R11 and RG11, and the signed forms of BC4: blocks worked by hand from the Khronos Data Format Specification 1.3
// ("ETC2 R11") and Direct3D's, an exhaustive search, and precision beyond 8 bits.
#include "ref/eac.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "frames/color.h"
#include "picture.h"
#include "ref/bc4.h"
#include "ref/convert.h"
#include "ref/encode.h"
#include "texcast/decoder.h"

using namespace texcast;
using namespace texcast::ref;

namespace {

constexpr EacRange kUnsigned = EacRange::unsigned_codes, kSigned = EacRange::signed_codes;

// All 16 texels have `index`.
EacBlock block_of(int base, int multiplier, int table, int index) {
  uint64_t bits = 0;
  for (int i = 0; i < 16; ++i) bits = bits << 3 | static_cast<uint64_t>(index);
  EacBlock block{static_cast<uint8_t>(base), static_cast<uint8_t>(multiplier << 4 | table)};
  for (size_t i = 0; i < 6; ++i) block[2 + i] = static_cast<uint8_t>(bits >> (40 - 8 * i));
  return block;
}

int first_texel(int base, int multiplier, int table, int index, EacRange range) {
  return decode_eac(block_of(base, multiplier, table, index), range)[0];
}

int64_t error_of(const EacBlock& block, const ChannelBlock& values, EacRange range) {
  const ChannelBlock got = decode_eac(block, range);
  int64_t sum = 0;
  for (size_t i = 0; i < 16; ++i) sum += int64_t{got[i] - values[i]} * (got[i] - values[i]);
  return sum;
}

// The smallest error over all bases, multipliers and tables, by decoding a block of each.
int64_t least_error(const ChannelBlock& values, EacRange range) {
  int64_t least = INT64_MAX;
  for (int rest = 0; rest < 65536; ++rest) {
    // All indices occur in the first two columns.
    const EacBlock block = {static_cast<uint8_t>(rest >> 8), static_cast<uint8_t>(rest), 0x05, 0x39, 0x77, 0, 0, 0};
    const ChannelBlock palette = decode_eac(block, range);
    int64_t sum = 0;
    for (const int value : values) {
      int64_t nearest = INT64_MAX;
      for (const int one : palette) nearest = std::min(nearest, int64_t{one - value} * (one - value));
      sum += nearest;
    }
    least = std::min(least, sum);
  }
  return least;
}

constexpr std::array kMethodsByEffort = {Method::refine_once, Method::refine, Method::cluster, Method::cluster_search};

}  // namespace

TEST_CASE("EAC by hand: base, multiplier and modifier, clamped to 11 bits") {
  CHECK(first_texel(100, 3, 2, 4, kUnsigned) == 100 * 8 + 4 + 1 * 3 * 8);
  CHECK(first_texel(100, 3, 2, 3, kUnsigned) == 100 * 8 + 4 - 13 * 3 * 8);
  CHECK(first_texel(100, 0, 13, 7, kUnsigned) == 100 * 8 + 4 + 9);  // multiplier 0: the modifier itself
  CHECK(first_texel(2, 15, 0, 3, kUnsigned) == 0);
  CHECK(first_texel(255, 1, 0, 7, kUnsigned) == 2047);
  CHECK(first_texel(0, 0, 6, 0, kUnsigned) == 0);
  // Signed values are stored as an offset from -1023.
  CHECK(first_texel(0, 1, 15, 4, kSigned) == 1023 + 2 * 8);
  CHECK(first_texel(0x9C, 2, 15, 0, kSigned) == 1023 - 100 * 8 - 3 * 2 * 8);
  CHECK(first_texel(0x80, 0, 13, 4, kSigned) == 1023 - 127 * 8);
  CHECK(first_texel(0x80, 0, 13, 4, kSigned) == first_texel(0x81, 0, 13, 4, kSigned));
  CHECK(first_texel(0x81, 15, 0, 3, kSigned) == 0);
  CHECK(first_texel(0x7F, 15, 0, 7, kSigned) == 2046);
}

TEST_CASE("indices of EAC run down the columns, from the top") {
  // Index 7 at the top of the second column, which is the fifth in order; 4 elsewhere.
  EacBlock block = block_of(10, 1, 13, 4);
  block[3] |= 0b00001110;
  const ChannelBlock texels = decode_eac(block, kUnsigned);
  for (size_t i = 0; i < 16; ++i) CHECK(texels[i] == 84 + (i == 1 ? 9 * 8 : 0));
}

TEST_CASE("EAC's values as 16-bit samples, and samples as values") {
  CHECK(eac_unorm16(0, kUnsigned) == 0);
  CHECK(eac_unorm16(2047, kUnsigned) == 65535);
  CHECK(eac_unorm16(1024, kUnsigned) == 32784);  // 32783.51
  CHECK(eac_unorm16(1023, kSigned) == 32768);    // 0: 32767.5
  CHECK(eac_unorm16(2046, kSigned) == 65535);
  for (int byte = 0; byte < 256; ++byte) {
    CHECK(eac_value(byte * kByteStep, kUnsigned) == std::lround(byte * 2047 / 255.0));
    CHECK(eac_value(byte * kByteStep, kSigned) == std::lround(byte * 2046 / 255.0));
  }
}

TEST_CASE("EAC: the highest quality finds the best of all bases, multipliers and tables") {
  std::mt19937 random(11);
  for (int round = 0; round < 12; ++round) {
    const EacRange range = round % 2 == 0 ? kUnsigned : kSigned;
    const int spread = 1 << (round % 11);
    const int base = static_cast<int>(random() % static_cast<uint32_t>(2047 - spread));
    ChannelBlock values{};
    for (int& value : values) value = std::min(base + static_cast<int>(random() % static_cast<uint32_t>(spread)), 2046);
    if (round >= 10) values[3] = round == 10 ? 0 : 2046;  // beside a value at the end of the range
    CAPTURE(round);
    CHECK(error_of(encode_eac(values, range, Method::cluster_search), values, range) == least_error(values, range));
  }
}

TEST_CASE("EAC: flat blocks are exact by every method") {
  for (const EacRange range : {kUnsigned, kSigned})
    for (const Method method : kMethodsByEffort)
      for (int value = 0; value <= eac_top(range); value += method == Method::cluster_search ? 29 : 1) {
        ChannelBlock values{};
        values.fill(value);
        REQUIRE(error_of(encode_eac(values, range, method), values, range) == 0);
      }
}

TEST_CASE("EAC of a photograph: more effort gives a smaller error") {
  for (const EacRange range : {kUnsigned, kSigned}) {
    double before = 39.2;  // lower bound
    for (const Method method : kMethodsByEffort) {
      const double psnr = picture::channel_psnr([&](const ChannelBlock& bytes) {
        ChannelBlock values{}, back{};
        for (size_t i = 0; i < 16; ++i) values[i] = eac_value(kByteStep * bytes[i], range);
        const ChannelBlock decoded = decode_eac(encode_eac(values, range, method), range);
        for (size_t i = 0; i < 16; ++i) back[i] = static_cast<int>(std::lround(decoded[i] * 255.0 / eac_top(range)));
        return back;
      });
      CAPTURE(psnr);
      CHECK(psnr > before);
      before = psnr + 0.02;
    }
  }
}

// A gradient of one step of 10 bits per texel. With 8 bits of luma the PSNR would be 58.9 dB.
TEST_CASE("ten bits of luma and sixteen of gray are preserved in EAC") {
  constexpr int kSide = 64;
  std::vector<uint16_t> luma(kSide * kSide), gray(kSide * kSide);
  std::vector<uint16_t> chroma(kSide * kSide / 4, 512);
  for (size_t i = 0; i < luma.size(); ++i) {
    luma[i] = static_cast<uint16_t>(200 + i % kSide + i / kSide);
    gray[i] = static_cast<uint16_t>(9000 + 31 * (i % kSide) + 40 * (i / kSide));
  }
  const auto plane = [](const std::vector<uint16_t>& samples, int width) {
    return PlaneView{reinterpret_cast<const std::byte*>(samples.data()), 2 * width};
  };
  const FrameView frames[] = {{{PixelFormat::yuv420p10, kSide, kSide, {}},
                               {plane(luma, kSide), plane(chroma, kSide / 2), plane(chroma, kSide / 2)}},
                              {{PixelFormat::gray16, kSide, kSide, kFullRange}, {plane(gray, kSide)}}};
  for (const FrameView& frame : frames)
    for (const TextureFormat format : {TextureFormat::eac_r11, TextureFormat::eac_r11_signed}) {
      const TextureDesc desc{.format = format, .width = kSide, .height = kSide};
      std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
      ref::encode(frame, format, Method::cluster, blocks);
      DecodedImage source, decoded;
      convert_to_channels(frame, 1, source, SampleType::unorm16);
      decode_texture({desc, blocks}, decoded);
      PsnrMeter meter;
      meter.add(source, decoded);
      CHECK(meter.psnr_db() > 62);
    }
}

TEST_CASE("gray16: both ranges, to the nearest of 16 and of 8 bits") {
  for (const auto& [range, black, white] :
       {std::tuple{ColorRange::full, 0, 65535}, std::tuple{ColorRange::limited, 16 * 256, 235 * 256}})
    for (int sample = 0; sample < 65536; sample += 97) {
      const auto stored = static_cast<uint16_t>(sample);
      const FrameView frame{{PixelFormat::gray16, 1, 1, {ColorMatrix::bt709, range}},
                            {PlaneView{reinterpret_cast<const std::byte*>(&stored), 2}}};
      const double want = std::clamp((sample - black) / static_cast<double>(white - black), 0.0, 1.0);
      const FrameReader reader(frame);
      CHECK(std::abs(reader.fine_luma(0, 0) - want * kFineWhite) < 100);
      CHECK(std::abs(reader.luma(0, 0) - want * 255) < 0.51);
      const int byte = reader.luma(0, 0);
      CHECK(reader.rgb(0, 0) == std::array{byte, byte, byte});
    }
}

TEST_CASE("signed BC4 by hand: -127 is black, 127 white, -128 is -127") {
  const Bc4Block eight = {127, 0x81, 0b10001000, 0b11000110, 0b11111010, 0, 0, 0};  // texels 0..7 = indices 0..7
  const ChannelBlock e = decode_bc4_signed(eight);
  CHECK(e[0] == 255);
  CHECK(e[1] == 0);
  for (int i = 2; i < 8; ++i) CHECK(e[static_cast<size_t>(i)] == std::lround(255.0 * (8 - i) / 7));
  const Bc4Block six = {0x81, 1, 0b10001000, 0b11000110, 0b11111010, 0, 0, 0};  // -127 and 1
  const ChannelBlock s = decode_bc4_signed(six);
  CHECK(s[1] == std::lround(255.0 * 128 / 254));
  CHECK(s[2] == std::lround(255.0 * 128 / 254 / 5));
  CHECK(s[6] == 0);
  CHECK(s[7] == 255);
  const Bc4Block lowest = {0x80, 0x80, 0, 0, 0, 0, 0, 0};
  CHECK(decode_bc4_signed(lowest)[0] == 0);
}

TEST_CASE("signed BC4 is as good as BC4") {
  for (const Method method : kMethodsByEffort) {
    const double plain =
        picture::channel_psnr([&](const ChannelBlock& t) { return decode_bc4(encode_bc4_channel(t, method)); });
    const double with_sign =
        picture::channel_psnr([&](const ChannelBlock& t) { return decode_bc4_signed(encode_bc4_signed(t, method)); });
    CHECK(std::abs(with_sign - plain) < 0.15);
  }
}
