#include "check.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "data_folder.h"
#include "devices/llvmpipe.h"
#include "ref/encode.h"
#include "tiny.h"

namespace check {
namespace {

constexpr std::byte kPoison{0xEE};
constexpr std::byte kCanary{0xA5};
constexpr size_t kMargin = 4096;  // a multiple of every device's buffer alignment

using Rgb = std::array<int, 3>;

const std::vector<uint8_t>& real_picture() {
  static const std::vector<uint8_t> pixels = [] {
    std::ifstream in(texcast::test::data_file("kodim05_192x128.rgb"), std::ios::binary);
    std::vector<uint8_t> all{std::istreambuf_iterator<char>(in), {}};
    REQUIRE(all.size() == 192 * 128 * 3);
    return all;
  }();
  return pixels;
}

Rgb pattern_color(Pattern pattern, int x, int y, std::mt19937& random) {
  switch (pattern) {
    case Pattern::random: {
      const auto bits = random();
      return {static_cast<int>(bits & 255), static_cast<int>(bits >> 8 & 255), static_cast<int>(bits >> 16 & 255)};
    }
    case Pattern::flat: {  // one colour per block; some neighbours differ by one step
      const int block = (y / 4) * 977 + (x / 4);
      return {block % 256, block * 7 % 256, block * 31 % 256};
    }
    case Pattern::extreme: {  // corners of the RGB cube, and channels with opposite gradients
      const auto bits = random();
      const int kind = (x / 4 + y / 4) % 4;
      if (kind == 0) return {bits & 1 ? 255 : 0, bits & 2 ? 255 : 0, bits & 4 ? 255 : 0};
      if (kind == 1) return {x % 4 * 85, 255 - x % 4 * 85, y % 4 * 85};
      if (kind == 2 && y / 4 % 2 == 0)  // a few colours on nearly black
        return bits % 8 == 0 ? Rgb{static_cast<int>(bits >> 8 & 255), static_cast<int>(bits >> 16 & 255), 90}
                             : Rgb{static_cast<int>(bits >> 8 & 7), static_cast<int>(bits >> 16 & 15), 3};
      if (kind == 2) return bits % 16 == 0 ? Rgb{255, 255, 255} : Rgb{0, 0, 0};
      return {254 + static_cast<int>(bits & 1), static_cast<int>(bits >> 1 & 1), 127 + static_cast<int>(bits >> 2 & 1)};
    }
    case Pattern::gradient: return {(x + y) % 256, (2 * x) % 256, 255 - (x + 3 * y) % 256};
    case Pattern::real: {
      const auto at = static_cast<size_t>(3 * ((y % 128) * 192 + x % 192));
      return {real_picture()[at], real_picture()[at + 1], real_picture()[at + 2]};
    }
  }
  return {};
}

// The pattern's three numbers are used as the stored samples, Y U V or R G B, so that every kernel sees every range.
void put_texel(Frame& frame, int x, int y, const Rgb& c, std::mt19937& random) {
  using texcast::PixelFormat;
  const auto put = [&](int plane, int offset, int row, int value) {
    const auto p = static_cast<size_t>(plane);
    frame.bytes[static_cast<size_t>(frame.placed.offset[p] + row * frame.placed.stride[p] + offset)] =
        static_cast<std::byte>(value);
  };
  const auto put_word = [&](int plane, int offset, int row, int value) {
    put(plane, offset, row, value & 255);
    put(plane, offset + 1, row, value >> 8);
  };
  const int hx = x / 2, hy = y / 2;
  const auto ten = [&](int v) { return v * 4 + static_cast<int>(random() & 3); };
  switch (frame.format.pixel_format) {
    case PixelFormat::yuv420p: put(0, x, y, c[0]), put(1, hx, hy, c[1]), put(2, hx, hy, c[2]); break;
    case PixelFormat::nv12: put(0, x, y, c[0]), put(1, 2 * hx, hy, c[1]), put(1, 2 * hx + 1, hy, c[2]); break;
    case PixelFormat::yuv422p: put(0, x, y, c[0]), put(1, hx, y, c[1]), put(2, hx, y, c[2]); break;
    case PixelFormat::yuv444p: put(0, x, y, c[0]), put(1, x, y, c[1]), put(2, x, y, c[2]); break;
    case PixelFormat::yuyv422: put(0, 2 * x, y, c[0]), put(0, 4 * hx + 1, y, c[1]), put(0, 4 * hx + 3, y, c[2]); break;
    case PixelFormat::uyvy422: put(0, 2 * x + 1, y, c[0]), put(0, 4 * hx, y, c[1]), put(0, 4 * hx + 2, y, c[2]); break;
    case PixelFormat::yuv420p10:  // bits above the tenth are ignored
      put_word(0, 2 * x, y, ten(c[0]) | 0x8400), put_word(1, 2 * hx, hy, ten(c[1])), put_word(2, 2 * hx, hy, ten(c[2]));
      break;
    case PixelFormat::p010:  // so are the low six
      put_word(0, 2 * x, y, ten(c[0]) << 6 | 0x15), put_word(1, 4 * hx, hy, ten(c[1]) << 6);
      put_word(1, 4 * hx + 2, hy, ten(c[2]) << 6);
      break;
    case PixelFormat::rgb24: put(0, 3 * x, y, c[0]), put(0, 3 * x + 1, y, c[1]), put(0, 3 * x + 2, y, c[2]); break;
    case PixelFormat::rgba:
      put(0, 4 * x, y, c[0]), put(0, 4 * x + 1, y, c[1]), put(0, 4 * x + 2, y, c[2]), put(0, 4 * x + 3, y, 255 - c[0]);
      break;
    case PixelFormat::bgra:
      put(0, 4 * x + 2, y, c[0]), put(0, 4 * x + 1, y, c[1]), put(0, 4 * x, y, c[2]), put(0, 4 * x + 3, y, 255 - c[0]);
      break;
    case PixelFormat::gray: put(0, x, y, c[0]); break;
    case PixelFormat::gray16: put_word(0, 2 * x, y, c[0] << 8 | static_cast<int>(random() & 255)); break;
    case PixelFormat::rgba_half:  // 2^-11 to 2^13, and sometimes any bits: negative numbers, NaN, infinity
      for (int i = 0; i < 3; ++i) {
        const auto bits = random();
        put_word(0, 8 * x + 2 * i, y,
                 bits % 64 == 0 ? static_cast<int>(bits >> 8 & 0xFFFF) : c[static_cast<size_t>(i)] * 96 + 0x1000);
      }
      put_word(0, 8 * x + 6, y, static_cast<int>(random() & 0xFFFF));
      break;
  }
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x} ", std::to_integer<int>(b));
  return text;
}

}  // namespace

const texcast::ocl::Device& device() {
  // Never closed: Oclgrind's own calls write into freed memory after the main thread's thread_locals are destroyed,
  // which happens before statics are.
  static const auto& opened = *new texcast::ocl::Device([] {
    const char* wanted = std::getenv("TEXCAST_TEST_DEVICE");
    const std::string selector = wanted == nullptr ? "" : wanted;
    for (const auto& info : texcast::list_devices())
      if (selector == "gpu" && info.usable && info.is_gpu) return info;
    return texcast::choose_device(selector).device;
  }());
  return opened;
}

bool tiny_only() { return texcast::test::tiny_only(); }

bool slow_compiler() { return is_llvmpipe(device().info()); }

bool has_all() {
  const char* all = std::getenv("TEXCAST_TEST_ALL");
  return all != nullptr && *all == '1';
}

bool spared(const std::string& what) {
  if (!slow_compiler() || has_all()) return false;
  MESSAGE("SKIP: ", what, ": llvmpipe compiles for minutes; TEXCAST_TEST_ALL=1 tests it");
  return true;
}

bool compares_nothing() {
  if (!slow_compiler()) return false;
  MESSAGE("SKIP: encoders that compare: llvmpipe (Mesa 22.3) crashes on kernels with work-items that return early");
  return true;
}

bool spared_on_cpu(const std::string& what) {
  if (device().info().is_gpu || tiny_only() || has_all()) return false;
  MESSAGE("SKIP: ", what, ": CPUs take long to compile it; GPUs, Oclgrind and TEXCAST_TEST_ALL=1 test it");
  return true;
}

std::vector<Size> sizes() {
  // Each size builds its programs again.
  if (slow_compiler()) return {{127, 95}};
  if (tiny_only()) return {{1, 1}, {4, 4}, {13, 9}, {68, 4}};
  return {{1, 1}, {4, 4}, {8, 8}, {5, 3}, {127, 95}, {64, 66}, {200, 12}, {1920, 1080}};
}

std::string name(Pattern pattern) {
  switch (pattern) {
    case Pattern::random: return "random";
    case Pattern::flat: return "flat";
    case Pattern::extreme: return "extreme";
    case Pattern::gradient: return "gradient";
    case Pattern::real: return "real";
  }
  return "";
}

texcast::FrameView Frame::view() const {
  texcast::FrameView v{format, {}};
  for (size_t p = 0; p < 3; ++p) v.planes[p] = {bytes.data() + placed.offset[p], placed.stride[p]};
  return v;
}

Frame make_frame(const texcast::FrameFormat& format, Pattern pattern, uint32_t seed) {
  Frame frame{format, texcast::stages::place_source(format), {}};
  frame.bytes.assign(frame.placed.bytes, kPoison);
  std::mt19937 random(seed);
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) put_texel(frame, x, y, pattern_color(pattern, x, y, random), random);
  return frame;
}

Frame half_opaque_frame(const texcast::FrameFormat& format, Pattern pattern, uint32_t seed) {
  Frame frame = make_frame(format, pattern, seed);
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width / 2; ++x)
      frame.bytes[static_cast<size_t>(frame.placed.offset[0] + y * frame.placed.stride[0] + 4 * x + 3)] =
          std::byte{255};
  return frame;
}

bool gives(texcast::stages::Stage& stage, std::span<const std::byte> source, std::span<const std::byte> want,
           size_t block_bytes, const std::string& label) {
  const auto& dev = device();
  auto queue = dev.make_queue();
  std::vector<std::byte> got(want.size() + 2 * kMargin, kCanary);
  cl::Buffer input(dev.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, source.size(),
                   const_cast<std::byte*>(source.data()));
  cl::Buffer whole(dev.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, got.size(), got.data());
  cl_buffer_region region{kMargin, want.size()};
  cl::Buffer blocks = whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  stage.enqueue(queue, input, blocks, {}).wait();
  queue.enqueueReadBuffer(whole, CL_TRUE, 0, got.size(), got.data());
  for (size_t i = 0; i < got.size(); ++i) {
    const bool inside = i >= kMargin && i < kMargin + want.size();
    if (got[i] == (inside ? want[i - kMargin] : kCanary)) continue;
    if (!inside) {
      fmt::print("{}: {}: wrote outside its blocks, {} bytes from their start\n", dev.info().name, label,
                 static_cast<int64_t>(i) - static_cast<int64_t>(kMargin));
      return false;
    }
    const size_t block = (i - kMargin) / block_bytes;
    fmt::print("{}: {}: block {}: reference {}, kernel {}\n", dev.info().name, label, block,
               hex(want.subspan(block_bytes * block, block_bytes)),
               hex(std::span(got).subspan(kMargin + block_bytes * block, block_bytes)));
    return false;
  }
  return true;
}

texcast::FrameFormat rgba(Size size) {
  using namespace texcast;
  return {PixelFormat::rgba, size.width, size.height, {ColorMatrix::bt709, ColorRange::full}};
}

std::vector<std::byte> reference_blocks(const Frame& frame, const texcast::EncoderSettings& settings) {
  using namespace texcast;
  std::vector<std::byte> blocks(texture_layout(settings.texture, frame.format.width, frame.format.height).total_bytes);
  const Method method = settings.method ? *settings.method : method_for(settings.texture, settings.quality);
  ref::encode(frame.view(), settings.texture, method, blocks, settings.options);
  return blocks;
}

bool equals_reference(texcast::stages::Stage& stage, const texcast::stages::StageSettings& settings, const Frame& frame,
                      const std::string& label) {
  const auto layout = texcast::texture_layout(settings.texture, frame.format.width, frame.format.height);
  std::vector<std::byte> want(layout.total_bytes);
  texcast::ref::encode(frame.view(), settings.texture, settings.method, want, settings.options);
  return gives(stage, frame.bytes, want, static_cast<size_t>(layout.planes[0].block_bytes),
               fmt::format("{}, {}x{}", label, frame.format.width, frame.format.height));
}

void check_all_patterns(const texcast::stages::StageSettings& settings, const std::string& label) {
  const auto stage = texcast::stages::make_stage(device(), settings);
  uint32_t seed = 1;
  for (const Pattern pattern : kPatterns) {
    // Large frames test the size only; small ones have tested the patterns.
    if (settings.source.width > 1000 && pattern != Pattern::real) continue;
    const Frame frame = make_frame(settings.source, pattern, seed);
    CHECK(equals_reference(*stage, settings, frame, fmt::format("{}, {}, seed {}", label, name(pattern), seed)));
    ++seed;
  }
}

}  // namespace check
