// Pictures that are made of textures for cameras, compared with codec/ref, byte for byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "check.h"
#include "frames/from_rgb.h"
#include "ref/decode.h"
#include "ref/put_picture.h"
#include "stages/picture_stage.h"
#include "texcast/decoder.h"
#include "texcast/picture_converter.h"

using namespace texcast;

namespace {

// One texture format of each model, chroma size and decoder of several channels; every pixel format for one of them, as
// each pair of a model and a pixel format is a program to compile.
struct Conversion {
  TextureFormat from;
  std::vector<PixelFormat> to;
};
const std::vector<Conversion>& conversions() {
  static const std::vector<Conversion> kAll = {
      {TextureFormat::bc1, {PixelFormat::nv12, PixelFormat::yuv420p, PixelFormat::yuyv422, PixelFormat::bgra}},
      {TextureFormat::bc3, {PixelFormat::nv12}},
      {TextureFormat::bc4, {PixelFormat::nv12}},
      {TextureFormat::bc5, {PixelFormat::bgra}},
      {TextureFormat::ycocg_dxt5, {PixelFormat::bgra}},
      {TextureFormat::ycocg_bc4_420, {PixelFormat::nv12}},
      {TextureFormat::ycocg_bc4_422, {PixelFormat::bgra}},
      {TextureFormat::ycocg_bc4_444, {PixelFormat::yuyv422}}};
  return kAll;
}

std::vector<std::byte> any_blocks(const TextureDesc& texture) {
  std::vector<std::byte> blocks(texture_layout(texture).total_bytes);
  std::mt19937 random(static_cast<uint32_t>(texture.format) * 100 + static_cast<uint32_t>(texture.width));
  for (std::byte& b : blocks) b = static_cast<std::byte>(random() & 255);
  return blocks;
}

std::vector<std::byte> reference_picture(const TextureView& texture, const FrameFormat& to) {
  DecodedImage decoded, rgb;
  ref::decode(texture, EndpointExpansion::replicate, decoded);
  ref::to_rgb_bytes(decoded, texture.desc.color, rgb);
  std::vector<std::byte> picture(place_tightly(to).bytes);
  ref::put_picture(rgb, to, picture);
  return picture;
}

// The device's picture, with a margin around it that must not be written.
std::vector<std::byte> device_picture(const TextureView& texture, const FrameFormat& to) {
  const auto& device = check::device();
  const auto queue = device.make_queue();
  const size_t bytes = place_tightly(to).bytes;
  const TextureLayout layout = texture_layout(texture.desc);
  const auto stage = stages::make_picture_stage(device, {.from = texture.desc, .to = to});
  std::vector<cl::Buffer> planes;
  for (int p = 0; p < layout.plane_count; ++p) {
    const PlaneLayout& plane = layout.planes[static_cast<size_t>(p)];
    planes.emplace_back(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, plane.bytes,
                        const_cast<std::byte*>(texture.blocks.data() + plane.offset));
  }
  std::vector<std::byte> got(bytes + 4096, std::byte{0xA5});
  const cl::Buffer output(device.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, got.size(), got.data());
  stage->enqueue(queue, planes, output, {}).wait();
  queue.enqueueReadBuffer(output, CL_TRUE, 0, got.size(), got.data());
  CHECK(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(bytes), got.end(),
                    [](std::byte b) { return b == std::byte{0xA5}; }));
  got.resize(bytes);
  return got;
}

// The picture that a converter writes with bytes between its rows and planes, which keep their values. Without them.
std::vector<std::byte> strided_picture(PictureConverter& converter, const TextureView& texture, const FrameFormat& to) {
  constexpr size_t kGap = 5;
  const FramePlacement placed = place_tightly(to);
  std::vector<std::byte> memory(2 * placed.bytes + 4096, std::byte{0xA5}), picture;
  MutablePlanes planes;
  size_t at = kGap;
  for (size_t p = 0; p < static_cast<size_t>(plane_count(to.pixel_format)); ++p) {
    const size_t stride = static_cast<size_t>(placed.stride[p]) + kGap;
    planes[p] = {&memory[at], static_cast<std::ptrdiff_t>(stride)};
    at += static_cast<size_t>(placed.padded_rows[p]) * stride;
  }
  converter.convert(texture, planes);
  for (size_t p = 0; p < static_cast<size_t>(plane_count(to.pixel_format)); ++p)
    for (int row = 0; row < placed.padded_rows[p]; ++row) {
      std::byte* begin = planes[p].data + row * planes[p].stride_bytes;
      picture.insert(picture.end(), begin, begin + placed.stride[p]);
      std::fill_n(begin, placed.stride[p], std::byte{0xA5});
    }
  CHECK(std::ranges::all_of(memory, [](std::byte b) { return b == std::byte{0xA5}; }));
  return picture;
}

void check_picture(const TextureDesc& from, const FrameFormat& to) {
  CAPTURE(name(from.format));
  CAPTURE(name(to.pixel_format));
  CAPTURE(to.width);
  const auto blocks = any_blocks(from);
  const auto want = reference_picture({from, blocks}, to), got = device_picture({from, blocks}, to);
  const auto [first, second] = std::ranges::mismatch(want, got);
  CAPTURE(first - want.begin());
  CHECK(first == want.end());
}

}  // namespace

TEST_CASE("pictures that a kernel makes of textures are the reference's") {
  for (const auto& [format, targets] : conversions()) {
    REQUIRE(stages::can_make_pictures(format));
    for (const PixelFormat to : targets) {
      const ColorSpec color{.matrix = to == PixelFormat::nv12 ? ColorMatrix::bt601 : ColorMatrix::bt709};
      check_picture({format, 26, 14}, {.pixel_format = to, .width = 26, .height = 14, .color = color});
      // Odd sizes, and a picture whose edge is cut off.
      check_picture({format, 27, 13}, {.pixel_format = to, .width = 27, .height = 13, .color = kFullRange});
      check_picture({format, 27, 15}, {.pixel_format = to, .width = 24, .height = 14, .color = color});
    }
  }
}

TEST_CASE("a large picture is the reference's") {
  if (check::tiny_only()) return;
  for (const TextureFormat format : {TextureFormat::ycocg_bc4_420, TextureFormat::bc1})
    check_picture({format, 1280, 360}, {.pixel_format = PixelFormat::nv12, .width = 1280, .height = 360});
}

TEST_CASE("a converter gives the reference's pictures on the device and on the CPU, with any strides") {
  const auto number = std::to_string(check::device().info().index);
  for (const auto& [format, targets] : conversions()) {
    const TextureDesc from{format, 27, 70};  // on the CPU, up to three bands
    const FrameFormat to{.pixel_format = targets.front(), .width = 27, .height = 69};
    CAPTURE(name(format));
    const auto blocks = any_blocks(from);
    const auto want = reference_picture({from, blocks}, to);
    for (const std::string& device : {number, std::string("cpu-reference")}) {
      const auto converter = make_picture_converter({.from = from, .to = to, .device = device});
      CHECK((converter->device_name() == "cpu-reference") == (device == "cpu-reference"));
      std::vector<std::byte> picture(picture_bytes(to));
      converter->convert({from, blocks}, picture);
      CHECK(picture == want);
      CHECK(strided_picture(*converter, {from, blocks}, to) == want);  // its buffers are reused
    }
  }
}

TEST_CASE("the CPU converts textures that no kernel decodes") {
  for (const TextureFormat format : {TextureFormat::bc6h, TextureFormat::ycocg_dxt5_alpha, TextureFormat::rgb8}) {
    CAPTURE(name(format));
    REQUIRE_FALSE(can_make_pictures_on_device(format));
    const TextureDesc from{format, 21, 37};
    const FrameFormat to{.pixel_format = PixelFormat::yuv420p, .width = 21, .height = 37};
    const auto blocks = any_blocks(from);
    const auto converter = make_picture_converter({.from = from, .to = to});
    std::vector<std::byte> picture(picture_bytes(to));
    converter->convert({from, blocks}, picture);
    CHECK(picture == reference_picture({from, blocks}, to));
  }
}
