// Kernels that decode and transcode textures, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/bytes.h"
#include "check.h"
#include "ref/astc.h"
#include "ref/decode.h"
#include "stages/transcode_stage.h"
#include "texcast/coding.h"
#include "texcast/transcoder.h"
#include "transcoders.h"

using namespace texcast;

namespace {

constexpr auto kBeyond = static_cast<std::byte>(0xA5);

std::vector<std::byte> any_blocks(TextureFormat format, check::Size size, uint32_t seed) {
  std::vector<std::byte> blocks(texture_layout(format, size.width, size.height).total_bytes);
  std::mt19937 random(seed);
  for (std::byte& b : blocks) b = static_cast<std::byte>(random() & 255);
  return blocks;
}

// Runs the stage with a device buffer of `bytes`, with a margin filled with kBeyond around it, and returns all of it.
std::vector<std::byte> texels_of(stages::Stage& stage, std::span<const std::byte> source, size_t bytes) {
  const auto& device = check::device();
  const auto queue = device.make_queue();
  std::vector<std::byte> got(bytes + 4096, kBeyond);
  const cl::Buffer input(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, source.size(),
                         const_cast<std::byte*>(source.data()));
  const cl::Buffer output(device.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, got.size(), got.data());
  stage.enqueue(queue, input, output, {}).wait();
  queue.enqueueReadBuffer(output, CL_TRUE, 0, got.size(), got.data());
  CHECK(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(bytes), got.end(),
                    [](std::byte b) { return b == kBeyond; }));
  got.resize(bytes);
  return got;
}

// A pixel of the reference's picture as R, G, B, A, as the frame stores them.
std::array<int, 4> shown_channels(const DecodedImage& image, size_t pixel) {
  const auto channel = [&](size_t c) -> int {
    const size_t index = pixel * static_cast<size_t>(image.channels) + c;
    if (image.samples == SampleType::unorm8) return image.pixels[index];
    const int wide = image.pixels[2 * index] | image.pixels[2 * index + 1] << 8;
    return static_cast<int>(std::lround(wide * 255.0 / 65535.0));
  };
  switch (image.channels) {
    case 1: return {channel(0), channel(0), channel(0), 255};
    case 2: return {channel(0), channel(1), 0, 255};
    case 3: return {channel(0), channel(1), channel(2), 255};
    default: return {channel(0), channel(1), channel(2), channel(3)};
  }
}

// Compares a kernel's texels with the reference's. Returns the frame, placed as place_source() does.
std::vector<std::byte> check_decoder(const TextureView& texture) {
  const TextureDesc& desc = texture.desc;
  const auto stage = stages::make_decode_stage(check::device(), desc);
  const auto placed = stages::place_source(stages::decoded_frame(desc));
  auto frame = texels_of(*stage, texture.blocks, placed.bytes);
  DecodedImage want;
  ref::decode(texture, EndpointExpansion::replicate, want);
  int different = 0;
  for (int y = 0; y < desc.height; ++y)
    for (int x = 0; x < desc.width; ++x) {
      const auto channels = shown_channels(want, static_cast<size_t>(y * desc.width + x));
      for (size_t c = 0; c < 4; ++c)
        different += std::to_integer<int>(frame[static_cast<size_t>(y * placed.stride[0] + 4 * x) + c]) != channels[c];
    }
  CAPTURE(name(desc.format));
  CAPTURE(desc.width);
  CAPTURE(desc.color.transfer);
  CHECK(different == 0);
  return frame;
}

void check_decoder(TextureFormat format, check::Size size) {
  const auto blocks = any_blocks(format, size, static_cast<uint32_t>(size.width));
  check_decoder({{format, size.width, size.height}, blocks});
}

std::vector<TextureFormat> astc_formats() {
  std::vector<TextureFormat> found;
  for (const Format& format : formats())
    if (is_astc(format.planes[0].coding)) found.push_back(format.id);
  return found;
}

ref::AstcBlock random_astc_block(std::mt19937_64& random, bool is_one_color) {
  std::array<uint64_t, 2> words = {random(), random()};
  if (is_one_color) {
    const uint64_t reserved = random() % 4 == 0 ? random() % 4 : 3;
    words[0] = 0x1FC | (words[0] & 0x200) | reserved << 10;
    // Two pairs of extents, each in order. All ones mean that the colour is everywhere.
    const bool is_everywhere = random() % 4 == 0;
    for (int i = 0; i < 4; ++i) words[0] |= (is_everywhere ? 0x1FFF : random() % 3 + i % 2) << (12 + 13 * i);
  }
  ref::AstcBlock block{};
  for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<uint8_t>(words[i / 8] >> 8 * (i % 8));
  return block;
}

// An ASTC texture, a texel smaller than its blocks in each direction. Every 16th block has one colour, every 16th has
// random bytes, which are seldom valid for small blocks. The others are valid, LDR or not.
struct AstcBlocks {
  TextureDesc desc;
  std::vector<std::byte> blocks;
  std::array<int, 3> kinds{};  // counts, by AstcBlockKind
};
AstcBlocks astc_blocks(TextureFormat format, int across, int down) {
  const PlaneLayout plane = texture_layout(format, 1, 1).planes[0];
  const ref::AstcSize size = {plane.block_width, plane.block_height};
  AstcBlocks made;
  made.desc = {format, across * size.width - 1, down * size.height - 1};
  std::mt19937_64 random(static_cast<uint64_t>(format));
  std::vector<ref::AstcRgba> texels(static_cast<size_t>(size.width * size.height));
  for (int i = 0; i < across * down; ++i) {
    ref::AstcBlock block{};
    auto kind = ref::AstcBlockKind::invalid;
    for (int tries = i % 16 < 2 ? 1 : 1000; tries > 0 && kind == ref::AstcBlockKind::invalid; --tries) {
      block = random_astc_block(random, i % 16 == 0);
      kind = decode_astc(block, size, false, texels);
    }
    ++made.kinds[static_cast<size_t>(kind)];
    for (const uint8_t byte : block) made.blocks.push_back(std::byte{byte});
  }
  return made;
}

}  // namespace

TEST_CASE("blocks decoded by a kernel are the reference's texels, whatever their bytes") {
  int formats_decoded = 0;
  for (const Format& format : formats()) {
    if (!stages::can_decode(format.id)) continue;
    ++formats_decoded;
    // The large size is for devices that run many work-items at a time; of CPUs, PoCL tests it.
    auto sizes = check::tiny_only() ? std::vector<check::Size>{{5, 3}, {18, 9}}
                                    : std::vector<check::Size>{{1, 1}, {5, 3}, {127, 95}};
    if (!check::tiny_only() && !check::slow_compiler()) sizes.push_back({1024, 512});
    for (const check::Size size : sizes) check_decoder(format.id, size);
  }
  CHECK(formats_decoded >= 4);
}

TEST_CASE("blocks of ASTC of every size are decoded by a kernel as by the reference") {
  const bool few = check::tiny_only() || check::slow_compiler();
  const int across = check::tiny_only() ? 8 : few ? 32 : 96, down = check::tiny_only() ? 16 : few ? 48 : 128;
  std::array<int, 3> kinds{};
  for (const TextureFormat format : astc_formats()) {
    AstcBlocks texture = astc_blocks(format, across, down);
    for (size_t kind = 0; kind < kinds.size(); ++kind) kinds[kind] += texture.kinds[kind];
    const auto frame = check_decoder({texture.desc, texture.blocks});
    // A block may be wider than the space between the picture and the end of the frame's row.
    const size_t stride = frame.size() / static_cast<size_t>(texture.desc.height);
    const auto end = frame.begin() + 4 * texture.desc.width;
    CHECK(std::all_of(end, frame.begin() + static_cast<ptrdiff_t>(stride), [](std::byte b) { return b == kBeyond; }));
    texture.desc.color.transfer = kSrgbTransfer;
    check_decoder({texture.desc, texture.blocks});
  }
  MESSAGE(kinds[0], " LDR, ", kinds[1], " HDR, ", kinds[2], " invalid");
  for (const int blocks : kinds) CHECK(blocks > 14 * across * down / 16);
}

TEST_CASE("a texture transcoded on the device is the reference's, decoded and encoded again") {
  DeviceInfo info = check::device().info();
  for (const TextureFormat from : {TextureFormat::bc3, TextureFormat::bc5, TextureFormat::astc_10x8}) {
    TranscoderSettings settings{.from = {from, 26, 14}, .to = TextureFormat::bc1, .device = std::to_string(info.index)};
    settings.from.color.transfer = kSrgbTransfer;  // ASTC is decoded differently then
    REQUIRE(can_transcode(settings.from.format, settings.to));
    const auto reference = make_reference_transcoder(settings);
    for (const bool shared : {true, false}) {
      // As if the device had memory of its own, and as it is.
      if (!shared) info.shares_host_memory = false;
      const auto transcoder = shared ? make_transcoder(settings) : make_ocl_transcoder(settings, info);
      CHECK(transcoder->texture_desc().format == TextureFormat::bc1);
      for (uint32_t number = 0; number < 3; ++number) {
        const auto blocks = any_blocks(from, {26, 14}, number);
        reference->submit({settings.from, blocks});
        transcoder->submit({settings.from, blocks});
        const Bytes want = reference->next().blocks, got = transcoder->next().blocks;
        CHECK(std::ranges::equal(want, got));
      }
    }
    info = check::device().info();
  }
}

TEST_CASE("no transcoder exists between formats with different channels") {
  CHECK(can_transcode(TextureFormat::bc3, TextureFormat::bc1));
  CHECK(can_transcode(TextureFormat::bc1, TextureFormat::bc3));
  CHECK(can_transcode(TextureFormat::bc4, TextureFormat::bc1));
  CHECK(can_transcode(TextureFormat::astc_12x12, TextureFormat::bc7));
  CHECK_FALSE(can_transcode(TextureFormat::bc1, TextureFormat::bc1));
  CHECK_FALSE(can_transcode(TextureFormat::bc1, TextureFormat::bc4));
  CHECK_FALSE(can_transcode(TextureFormat::bc4, TextureFormat::bc5));
  CHECK_FALSE(can_transcode(TextureFormat::bc3, TextureFormat::ycocg_dxt5));  // recordings ask for repacking
  CHECK_FALSE(can_transcode(TextureFormat::ycocg_dxt5, TextureFormat::bc1));
  CHECK_FALSE(can_transcode(TextureFormat::bc3, TextureFormat::rgba8));
}
