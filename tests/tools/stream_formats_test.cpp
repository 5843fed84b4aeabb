// A stream of each format, from `send` to the surface of `play`, compared with the picture that was sent. The required
// PSNR is that of another encoder. Blocks are decoded by OpenGL.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "program.h"
#include "texcast/coding.h"
#include "texcast/encoder.h"
#include "texcast/format.h"
#include "texcast/stream_sender.h"

namespace texcast::test {
namespace {

using nlohmann::json;

constexpr int kWidth = 256, kHeight = 192;
constexpr size_t kPixels = size_t{kWidth} * kHeight;
constexpr double kFps = 20;

// Tolerance in dB for OpenGL's rounding of interpolated colours (llvmpipe truncates).
constexpr double kRounding = 0.5;

// dB of kodim23_256x192.png over the channels that the format has, luma being BT.709's (docs/format.md).
struct Least {
  TextureFormat format;
  double psnr_db;
  const char* whose;
};
constexpr const char* kStb = "stb_dxt";
constexpr const char* kEtcpak = "etcpak";
constexpr const char* kHapQ = "FFmpeg's hap_q";
constexpr const char* kPlanes = "stb_dxt's BC4, chroma by the box and bilinear";
constexpr const char* kMean = "each block its mean";
constexpr const char* kStep = "each value wrong by one";
constexpr std::array kLeast = {
    Least{TextureFormat::bc1, 37.21, kStb},
    Least{TextureFormat::bc3, 37.21, kStb},
    Least{TextureFormat::ycocg_dxt5, 41.17, kHapQ},
    Least{TextureFormat::ycocg_dxt5_alpha, 41.17, kHapQ},
    Least{TextureFormat::ycocg_bc4_420, 43.00, kPlanes},
    Least{TextureFormat::ycocg_bc4_422, 43.58, kPlanes},
    Least{TextureFormat::ycocg_bc4_444, 44.27, kPlanes},
    Least{TextureFormat::bc4, 44.91, kStb},
    Least{TextureFormat::bc4_signed, 44.91, "stb_dxt, unsigned"},
    Least{TextureFormat::bc5, 44.95, kStb},
    Least{TextureFormat::bc5_signed, 44.95, "stb_dxt, unsigned"},
    Least{TextureFormat::eac_r11, 44.98, kEtcpak},
    Least{TextureFormat::eac_r11_signed, 44.98, "etcpak, unsigned"},
    Least{TextureFormat::eac_rg11, 44.93, kEtcpak},
    Least{TextureFormat::eac_rg11_signed, 44.93, "etcpak, unsigned"},
    Least{TextureFormat::etc1, 36.47, kEtcpak},
    Least{TextureFormat::etc2, 36.94, kEtcpak},
    Least{TextureFormat::etc2_alpha, 36.94, kEtcpak},
    Least{TextureFormat::bc7, 43.50, "bc7enc, mode 6 alone"},
    Least{TextureFormat::astc_4x4, 44.80, "astcenc -fastest"},
    Least{TextureFormat::astc_5x5, 41.56, "astcenc -fastest"},
    Least{TextureFormat::astc_6x6, 39.03, "astcenc -fastest"},
    Least{TextureFormat::astc_8x8, 35.49, "astcenc -fastest"},
    Least{TextureFormat::bc6h, 37.21, "stb_dxt's BC1, with a fifth of its steps"},
    Least{TextureFormat::bc6h_signed, 37.21, "stb_dxt's BC1, with a fifth of its steps"},
    // Formats that are only received: their blocks are made in this file.
    Least{TextureFormat::bc1_ycbcr, 35.41, kStb},
    Least{TextureFormat::etc2_a1, 28.19, "the mean of each half"},
    Least{TextureFormat::astc_5x4, 26.16, kMean},
    Least{TextureFormat::astc_6x5, 25.50, kMean},
    Least{TextureFormat::astc_8x5, 24.46, kMean},
    Least{TextureFormat::astc_8x6, 24.31, kMean},
    Least{TextureFormat::astc_10x5, 23.87, kMean},
    Least{TextureFormat::astc_10x6, 23.76, kMean},
    Least{TextureFormat::astc_10x8, 23.32, kMean},
    Least{TextureFormat::astc_10x10, 23.04, kMean},
    Least{TextureFormat::astc_12x10, 22.97, kMean},
    Least{TextureFormat::astc_12x12, 22.63, kMean},
    Least{TextureFormat::rgba8, 48.13, kStep},
    Least{TextureFormat::rgb8, 48.13, kStep},
    Least{TextureFormat::bgr8, 48.13, kStep},
    Least{TextureFormat::uyvy, 48.83, "8 bits of Y'CbCr 52.22, chroma halved 51.50"},
    Least{TextureFormat::yuyv, 48.83, "8 bits of Y'CbCr 52.22, chroma halved 51.50"},
};

using Rgb = std::array<uint8_t, 3>;
using Picture = std::vector<Rgb>;

Picture read_rgb(const std::string& path) {
  const std::string bytes = read_file(path);
  REQUIRE(bytes.size() == 3 * kPixels);
  Picture picture(kPixels);
  for (size_t i = 0; i < 3 * kPixels; ++i) picture[i / 3][i % 3] = static_cast<uint8_t>(bytes[i]);
  return picture;
}

double luma(const Rgb& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }

double psnr_db(const Picture& sent, const Picture& shown, ColorModel model) {
  double sum = 0;
  const int channels = model == ColorModel::gray ? 1 : model == ColorModel::red_green ? 2 : 3;
  for (size_t i = 0; i < kPixels; ++i)
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
      const double want = model == ColorModel::gray ? std::round(luma(sent[i])) : sent[i][c];
      sum += (want - shown[i][c]) * (want - shown[i][c]);
    }
  return 10 * std::log10(255.0 * 255 * static_cast<double>(kPixels) * channels / sum);
}

// Replaces the channels that the format does not have.
bool is_plausible(const Rgb& shown, ColorModel model) {
  if (model == ColorModel::gray) return shown[0] == shown[1] && shown[1] == shown[2];
  return model != ColorModel::red_green || shown[2] == 0;
}

// ---- blocks of formats that are only received ----

// Y' Cb Cr of BT.709 in limited range.
Rgb ycbcr(const Rgb& c) {
  const double y = luma(c);
  const auto byte = [](double value) { return static_cast<uint8_t>(std::lround(value)); };
  return {byte(16 + 219 * y / 255), byte(128 + 224 * (c[2] - y) / 1.8556 / 255),
          byte(128 + 224 * (c[0] - y) / 1.5748 / 255)};
}

std::vector<std::byte> bytes_of(const Picture& picture, const std::vector<size_t>& order) {
  std::vector<std::byte> bytes;
  for (const Rgb& c : picture)
    for (const size_t channel : order) bytes.push_back(std::byte{channel == 3 ? uint8_t{0} : c[channel]});
  return bytes;
}

// Two pixels as Y'0 Cb Y'1 Cr or, with the bytes of each two swapped, Cb Y'0 Cr Y'1; chroma sited on the first.
std::vector<std::byte> pairs_of(const Picture& picture, bool luma_first) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < kPixels; i += 2) {
    const Rgb a = ycbcr(picture[i]), b = ycbcr(picture[i + 1]), before = ycbcr(picture[i % kWidth == 0 ? i : i - 1]);
    const auto sited = [&](size_t c) { return static_cast<uint8_t>((before[c] + 2 * a[c] + b[c] + 2) / 4); };
    for (const auto& [y, c] : {std::pair{a[0], sited(1)}, {b[0], sited(2)}}) {
      bytes.push_back(std::byte{luma_first ? y : c});
      bytes.push_back(std::byte{luma_first ? c : y});
    }
  }
  return bytes;
}

std::vector<std::byte> bc1_of_ycbcr(const Picture& picture) {
  Picture values;
  for (const Rgb& c : picture) values.push_back(ycbcr(c));
  const std::vector<std::byte> pixels = bytes_of(values, {0, 1, 2, 3});
  const FrameFormat frame{
      .pixel_format = PixelFormat::rgba, .width = kWidth, .height = kHeight, .color = kFullRange, .opaque = true};
  const auto encoder = make_encoder({.source = frame, .texture = TextureFormat::bc1, .device = "cpu-reference"});
  encoder->submit({frame, {{{pixels.data(), 4 * kWidth}, {}, {}}}}, {});
  const auto blocks = encoder->next().texture.blocks;
  return {blocks.begin(), blocks.end()};
}

// Blocks of ETC1's differential mode with the same colour in both halves, which are opaque in ETC2 with punch-through
// alpha: for each half the best of the eight tables around the block's mean.
uint64_t opaque_etc_block(const Picture& picture, size_t left, size_t top) {
  constexpr std::array<std::array<int, 2>, 8> kTables = {
      {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}};  // Khronos Data Format, ETC1
  const auto texel = [&](size_t x, size_t y) -> const Rgb& { return picture[(top + y) * kWidth + left + x]; };
  std::array<int, 3> base{};
  uint64_t block = 0;
  for (size_t c = 0; c < 3; ++c) {
    int sum = 0;
    for (size_t t = 0; t < 16; ++t) sum += texel(t / 4, t % 4)[c];
    const int five_bits = static_cast<int>(std::lround(sum / 16.0 * 31 / 255));
    base[c] = five_bits << 3 | five_bits >> 2;
    block |= static_cast<uint64_t>(five_bits) << (59 - 8 * c);
  }
  for (size_t half = 0; half < 2; ++half) {  // columns 0 and 1, 2 and 3
    double least = std::numeric_limits<double>::infinity();
    uint64_t best = 0;
    for (size_t table = 0; table < 8; ++table) {
      double error = 0;
      uint64_t bits = static_cast<uint64_t>(table) << (half == 0 ? 37 : 34);
      for (size_t t = 8 * half; t < 8 * half + 8; ++t) {
        double nearest = std::numeric_limits<double>::infinity();
        uint64_t index = 0;
        for (size_t i = 0; i < 4; ++i) {  // small, large, -small, -large
          const int step = kTables[table][i % 2] * (i < 2 ? 1 : -1);
          double off = 0;
          for (size_t c = 0; c < 3; ++c) {
            const double d = std::clamp(base[c] + step, 0, 255) - texel(t / 4, t % 4)[c];
            off += d * d;
          }
          if (off < nearest) nearest = off, index = i;
        }
        error += nearest;
        bits |= (index >> 1) << (16 + t) | (index & 1) << t;
      }
      if (error < least) least = error, best = bits;
    }
    block |= best;
  }
  return block | uint64_t{1} << 33;  // opaque
}

std::vector<std::byte> opaque_etc(const Picture& picture) {
  std::vector<std::byte> blocks;
  for (size_t top = 0; top < kHeight; top += 4)
    for (size_t left = 0; left < kWidth; left += 4) {
      const uint64_t block = opaque_etc_block(picture, left, top);
      for (int shift = 56; shift >= 0; shift -= 8) blocks.push_back(static_cast<std::byte>(block >> shift & 0xFF));
    }
  return blocks;
}

// ASTC void-extent blocks without bounds: the mean of the texels, with 16 bits per channel.
std::vector<std::byte> flat_astc(const Picture& picture, TextureFormat format) {
  const Coding& size = plane_coding(format, 0);
  const auto across = static_cast<size_t>(size.block_width), down = static_cast<size_t>(size.block_height);
  std::vector<std::byte> blocks;
  const auto put = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) blocks.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
  };
  for (size_t top = 0; top < kHeight; top += down)
    for (size_t left = 0; left < kWidth; left += across) {
      put(0xFFFF'FFFF'FFFF'FDFC, 8);
      const size_t right = std::min<size_t>(left + across, kWidth), bottom = std::min<size_t>(top + down, kHeight);
      for (size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (size_t y = top; y < bottom; ++y)
          for (size_t x = left; x < right; ++x) sum += picture[y * kWidth + x][c];
        put(static_cast<uint64_t>(std::lround(sum / static_cast<double>((right - left) * (bottom - top)))) * 257, 2);
      }
      put(0xFFFF, 2);
    }
  return blocks;
}

std::vector<std::byte> blocks_of(const Picture& picture, TextureFormat format) {
  if (is_astc(plane_coding(format, 0).id)) return flat_astc(picture, format);
  switch (format) {
    case TextureFormat::rgba8: return bytes_of(picture, {0, 1, 2, 3});
    case TextureFormat::rgb8: return bytes_of(picture, {0, 1, 2});
    case TextureFormat::bgr8: return bytes_of(picture, {2, 1, 0});
    case TextureFormat::uyvy: return pairs_of(picture, false);
    case TextureFormat::yuyv: return pairs_of(picture, true);
    case TextureFormat::bc1_ycbcr: return bc1_of_ycbcr(picture);
    case TextureFormat::etc2_a1: return opaque_etc(picture);
    default: break;
  }
  FAIL("a format that is only received, and nobody here makes its blocks: " << name(format));
  return {};
}

// ---- streams ----

// `sending` is started when the player listens, and ended when it has its frames. The last frame counts: if a busy
// machine delays packets, the missing blocks are those of the previous frame, which is the same picture.
std::string player_and(const std::string& address, const std::string& sending) {
  return "\"$program\" play " + address +
         " --offscreen --frames 4 --timeout 40 --screenshot s.png --json > played 2> said & player=$!\n"
         "until grep -q listening said || ! kill -0 $player; do sleep 0.02; done 2> /dev/null\n" +
         sending +
         "wait $player; code=$?; cat said >&2\n"
         "[ -z \"$sender\" ] || { kill -INT $sender; wait $sender; }\n"
         "[ $code = 0 ] && ffmpeg -v error -i s.png -f rawvideo -pix_fmt rgb24 shown\nexit $code";
}

Outcome send_encoded(const Folder& folder, TextureFormat format) {
  const std::string address = "rtp://127.0.0.1:" + std::to_string(free_port());
  return shell("cd '" + folder.file("") + "'\n" +
               player_and(address, "\"$program\" send '" + data("kodim23_256x192.png") + "' " + address +
                                       " --loop --fps 20 --device cpu-reference --format " + std::string(name(format)) +
                                       " > sent 2>&1 & sender=$!\n"));
}

Outcome send_blocks(const Folder& folder, TextureFormat format, const Picture& picture) {
  const std::string address = "rtp://127.0.0.1:" + std::to_string(free_port());
  const TextureDesc desc{.format = format, .width = kWidth, .height = kHeight, .color = usual_color(format)};
  const std::vector<std::byte> blocks = blocks_of(picture, format);
  Outcome outcome;
  std::atomic<bool> is_over = false;
  std::thread player([&] {
    outcome = shell("cd '" + folder.file("") + "'\n" + player_and(address, ""));
    is_over = true;
  });
  while (!is_over && read_file(folder.file("said")).find("listening") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  StreamSender sender({.destinations = {address}, .fps = kFps}, desc);
  for (int64_t n = 0; !is_over; ++n) {
    sender.send({desc, blocks}, n * frame_period(kFps));
    std::this_thread::sleep_for(frame_period(kFps));
  }
  player.join();
  return outcome;
}

}  // namespace

TEST_CASE("a stream of each format shows the picture that was sent, no worse than with another encoder") {
  const Folder origin;
  REQUIRE(shell("ffmpeg -v error -i '" + data("kodim23_256x192.png") + "' -f rawvideo -pix_fmt rgb24 '" +
                origin.file("rgb") + "'")
              .exit_code == 0);
  const Picture sent = read_rgb(origin.file("rgb"));
  for (const Format& format : formats()) {
    CAPTURE(std::string(format.name));
    const auto* least = std::ranges::find(kLeast, format.id, &Least::format);
    if (least == kLeast.end()) {
      FAIL_CHECK("no stream of this format is tested: kLeast has no row for it");
      continue;
    }
    const Folder folder;
    const Outcome outcome =
        format.is_encoded() ? send_encoded(folder, format.id) : send_blocks(folder, format.id, sent);
    INFO(outcome.err);
    if (outcome.exit_code == 4) {
      MESSAGE("SKIP: no off-screen OpenGL here: " << outcome.err);
      return;
    }
    REQUIRE(outcome.exit_code == 0);
    const json report = json::parse(read_file(folder.file("played")));
    CHECK(report["format"] == format.name);
    const Picture shown = read_rgb(folder.file("shown"));
    CHECK(std::ranges::all_of(shown, [&](const Rgb& pixel) { return is_plausible(pixel, format.model); }));
    const double psnr = psnr_db(sent, shown, format.model);
    INFO("least: " << least->psnr_db << " dB, " << std::string(least->whose));
    CHECK(psnr >= least->psnr_db - kRounding);
    MESSAGE(format.name << ": " << psnr << " dB");
  }
}

}  // namespace texcast::test
