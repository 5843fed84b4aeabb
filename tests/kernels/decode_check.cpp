// Textures decoded on the device, and made into others there: the kernels against codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "check.h"
#include "ref/decode.h"
#include "stages/transcode_stage.h"
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

// A device buffer of `bytes` with room around it, filled with kBeyond; what is in it after the stage ran.
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

// R, G, B, A as the frame has them, of a pixel of the reference's.
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

void check_decoder(TextureFormat format, check::Size size) {
  const auto blocks = any_blocks(format, size, static_cast<uint32_t>(size.width));
  const auto stage = stages::make_decode_stage(check::device(), format, size.width, size.height);
  const auto placed = stages::place_source(stages::decoded_frame(format, size.width, size.height));
  const auto frame = texels_of(*stage, blocks, placed.bytes);
  DecodedImage want;
  ref::decode({{format, size.width, size.height}, blocks}, EndpointExpansion::replicate, want);
  int different = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const auto channels = shown_channels(want, static_cast<size_t>(y * size.width + x));
      for (size_t c = 0; c < 4; ++c)
        different += std::to_integer<int>(frame[static_cast<size_t>(y * placed.stride[0] + 4 * x) + c]) != channels[c];
    }
  CAPTURE(name(format));
  CAPTURE(size.width);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("blocks decoded by a kernel are the reference's texels, whatever their bytes are") {
  int formats_decoded = 0;
  for (const Format& format : formats()) {
    if (!stages::can_decode(format.id)) continue;
    ++formats_decoded;
    const auto sizes = check::tiny_only() ? std::vector<check::Size>{{5, 3}, {18, 9}}
                                          : std::vector<check::Size>{{1, 1}, {5, 3}, {127, 95}, {1024, 512}};
    for (const check::Size size : sizes) check_decoder(format.id, size);
  }
  CHECK(formats_decoded >= 4);
}

TEST_CASE("a texture transcoded on the device is the reference's, decoded and encoded again") {
  DeviceInfo info = check::device().info();
  for (const TextureFormat from : {TextureFormat::bc3, TextureFormat::bc5}) {
    const TranscoderSettings settings{
        .from = {from, 26, 14}, .to = TextureFormat::bc1, .device = std::to_string(info.index)};
    REQUIRE(can_transcode(settings.from.format, settings.to));
    const auto reference = make_reference_transcoder(settings);
    for (const bool shared : {true, false}) {
      // As devices with memory of their own are driven, and as this one is.
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

TEST_CASE("what shows other channels is not made of a texture") {
  CHECK(can_transcode(TextureFormat::bc3, TextureFormat::bc1));
  CHECK(can_transcode(TextureFormat::bc1, TextureFormat::bc3));
  CHECK(can_transcode(TextureFormat::bc4, TextureFormat::bc1));
  CHECK_FALSE(can_transcode(TextureFormat::bc1, TextureFormat::bc1));
  CHECK_FALSE(can_transcode(TextureFormat::bc1, TextureFormat::bc4));
  CHECK_FALSE(can_transcode(TextureFormat::bc4, TextureFormat::bc5));
  CHECK_FALSE(can_transcode(TextureFormat::bc3, TextureFormat::ycocg_dxt5));  // recordings ask for what is repacked
  CHECK_FALSE(can_transcode(TextureFormat::ycocg_dxt5, TextureFormat::bc1));
  CHECK_FALSE(can_transcode(TextureFormat::bc3, TextureFormat::rgba8));
}
