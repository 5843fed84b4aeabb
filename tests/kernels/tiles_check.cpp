// Tiles that differ from the previous frame, and kernels that encode only these.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "check.h"
#include "format_families.h"
#include "stages/compare_stage.h"
#include "texcast/format.h"
#include "tile_frames.h"

using namespace texcast;
using stages::Form;
using stages::StageSettings;

namespace {

constexpr auto kAsItWas = std::byte{0xA5};

// Places of bytes outside the picture: beside its rows, and below its planes.
std::vector<size_t> padding_of(const check::Frame& frame) {
  std::vector<char> picture(frame.bytes.size(), 0);
  for (const check::Samples& s : check::samples_of(frame.format.pixel_format)) {
    const auto p = static_cast<size_t>(s.plane);
    for (int y = 0; y < frame.format.height; y += s.down)
      for (int x = 0; x < frame.format.width; x += s.across)
        for (int i = 0; i < s.bytes; ++i)
          picture[static_cast<size_t>(frame.placed.offset[p] + y / s.down * frame.placed.stride[p] +
                                      x / s.across * s.bytes + i)] = 1;
  }
  std::vector<size_t> padding;
  for (size_t i = 0; i < picture.size(); ++i)
    if (picture[i] == 0) padding.push_back(i);
  return padding;
}
void spoil(check::Frame& frame, const std::vector<size_t>& padding, std::byte with) {
  std::byte* const bytes = frame.bytes.data();
  for (const size_t i : padding) bytes[i] = with;
}

class Compared {
 public:
  Compared(const FrameFormat& format, int items)
      : format_(format), stage_(check::device(), format, items), queue_(check::device().make_queue()) {}
  std::vector<uint8_t> operator()(const check::Frame& frame, const check::Frame& before) {
    const cl::Context& context = check::device().context();
    const auto buffer = [&](const check::Frame& of) {
      return cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, of.bytes.size(),
                        const_cast<std::byte*>(of.bytes.data()));
    };
    const cl::Buffer now = buffer(frame), then = buffer(before);
    std::vector<uint8_t> changed(check::tiles_of(format_), 77);
    const cl::Buffer map(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, changed.size(), changed.data());
    stage_.enqueue(queue_, now, then, map, {}).wait();
    queue_.enqueueReadBuffer(map, CL_TRUE, 0, changed.size(), changed.data());
    return changed;
  }

 private:
  FrameFormat format_;
  stages::CompareStage stage_;
  cl::CommandQueue queue_;
};

std::vector<check::Size> tiled_sizes() {
  if (check::tiny_only()) return {{1, 1}, {67, 33}};
  return {{1, 1}, {64, 32}, {65, 33}, {191, 97}, {333, 77}};
}

ColorSpec usual_range(PixelFormat format) {
  return {ColorMatrix::bt709, is_rgb(format) ? ColorRange::full : ColorRange::limited};
}

// The tile of a block in row `y` and column `x` of a plane, which has a texel for `across` x `down` pixels.
size_t tile_of_block(const FrameFormat& format, const FormatPlane& plane, int x, int y) {
  return check::tile_at(format, 4 * x * plane.across, 4 * y * plane.down);
}

// With half of the tiles changed: their blocks are the reference's, all others are not written.
void check_encode_only(StageSettings settings, const std::string& label, int bands) {
  INFO(label);
  settings.only_changed = true;
  const FrameFormat& format = settings.source;
  const auto frame = check::make_frame(format, check::Pattern::random, 3);
  const auto want = check::reference_blocks(
      frame, {.source = format, .texture = settings.texture, .method = settings.method, .options = settings.options});
  const ocl::Device& device = check::device();
  const cl::CommandQueue queue = device.make_queue();
  const auto stage = stages::make_stage(device, settings);
  const size_t cut = bands > 1 ? stage->cut(bands).size() : 1;
  if (bands > 1) REQUIRE(cut > 1);
  const cl::Buffer source(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, frame.bytes.size(),
                          const_cast<std::byte*>(frame.bytes.data()));
  const cl::Buffer blocks(device.context(), CL_MEM_READ_WRITE, want.size());
  std::mt19937 random(5);
  std::vector<uint8_t> changed(check::tiles_of(format));
  const cl::Buffer map(device.context(), CL_MEM_READ_WRITE, changed.size());
  const TextureLayout layout = texture_layout(settings.texture, format.width, format.height);
  for (int round = 0; round < 3; ++round) {  // some, all, none
    for (uint8_t& tile : changed) tile = static_cast<uint8_t>(round == 0 ? random() % 2 : round == 1);
    std::vector<std::byte> got(want.size(), kAsItWas);
    queue.enqueueWriteBuffer(blocks, CL_TRUE, 0, got.size(), got.data());
    queue.enqueueWriteBuffer(map, CL_TRUE, 0, changed.size(), changed.data());
    stage->encode_only(map);
    if (bands > 1)
      for (size_t band = 0; band < cut; ++band) stage->enqueue_band(band, queue, source, blocks, {});
    else
      stage->enqueue(queue, source, blocks, {});
    queue.enqueueReadBuffer(blocks, CL_TRUE, 0, got.size(), got.data());
    size_t wrong = 0;
    for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
      const PlaneLayout& plane = layout.planes[p];
      for (int y = 0; y < plane.blocks_y; ++y)
        for (int x = 0; x < plane.blocks_x; ++x) {
          const size_t at = plane.offset + static_cast<size_t>((y * plane.blocks_x + x) * plane.block_bytes);
          const auto size = static_cast<size_t>(plane.block_bytes);
          const bool is_new = changed[tile_of_block(format, format_row(settings.texture).planes[p], x, y)] != 0;
          const bool right = is_new ? std::equal(got.begin() + static_cast<std::ptrdiff_t>(at),
                                                 got.begin() + static_cast<std::ptrdiff_t>(at + size),
                                                 want.begin() + static_cast<std::ptrdiff_t>(at))
                                    : std::all_of(got.begin() + static_cast<std::ptrdiff_t>(at),
                                                  got.begin() + static_cast<std::ptrdiff_t>(at + size),
                                                  [](std::byte b) { return b == kAsItWas; });
          wrong += right ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("a tile is changed if a byte of the picture in it is, in every source format") {
  if (check::compares_nothing()) return;
  if (check::spared("comparisons of every source format")) return;
  const bool few = check::spared_on_cpu("comparisons of every source format by 16 and 64 items");
  for (const int items : {0, 16, 64})
    for (int f = 0; f < kPixelFormatCount; f += few && items > 0 ? 4 : 1)
      for (const check::Size size : tiled_sizes()) {
        const auto pixels = static_cast<PixelFormat>(f);
        const FrameFormat format{pixels, size.width, size.height, usual_range(pixels)};
        CAPTURE(items);
        CAPTURE(name(pixels));
        CAPTURE(size.width);
        Compared compare(format, items);
        std::mt19937 random(static_cast<unsigned>(f));
        auto before = check::make_frame(format, check::Pattern::random, 1);
        const std::vector<size_t> padding = padding_of(before);
        spoil(before, padding, std::byte{1});
        for (int round = 0; round < (check::tiny_only() ? 3 : 12); ++round) {
          auto frame = before;
          std::vector<uint8_t> want(check::tiles_of(format), 0);
          // None, then some; at first in the picture's corners, where the comparison ends.
          const int texels = round < 5 ? std::min(round, 1) : static_cast<int>(random() % 6);
          for (int i = 0; i < texels; ++i) {
            const bool right = round < 5 ? (round & 1) != 0 : random() % 4 == 0;
            const bool bottom = round < 5 ? (round & 2) != 0 : random() % 4 == 0;
            const int x = right ? size.width - 1 : static_cast<int>(random() % static_cast<unsigned>(size.width));
            const int y = bottom ? size.height - 1 : static_cast<int>(random() % static_cast<unsigned>(size.height));
            std::vector<uint8_t> once(want.size(), 0);
            check::change_texel(frame, x, y, random, once);
            for (size_t t = 0; t < want.size(); ++t) want[t] |= once[t];
          }
          spoil(frame, padding, std::byte{2});
          if (frame.bytes == before.bytes) continue;
          // Two flips of the same bit would cancel out.
          auto back = frame;
          spoil(back, padding, std::byte{1});
          if (texels > 1 && back.bytes == before.bytes) continue;
          CHECK(compare(frame, before) == want);
        }
      }
}

TEST_CASE("kernels encode the blocks of changed tiles, and write no others") {
  if (check::compares_nothing()) return;
  const FrameFormat rgba{PixelFormat::rgba, check::tiny_only() ? 67 : 205, check::tiny_only() ? 37 : 77, kFullRange};
  const FrameFormat nv12{PixelFormat::nv12, rgba.width, rgba.height, {}};
  const bool few = check::spared_on_cpu("changed tiles in one band, of all but bc1 and planes");
  for (const TextureFormat texture : test::one_format_a_family()) {
    const bool plain = texture == TextureFormat::bc1 || texture == TextureFormat::ycocg_bc4_420;
    if (!plain && check::spared("changed tiles of " + std::string(name(texture)))) continue;
    const Method method =
        is_planar_ycocg(texture) || texture == TextureFormat::bc1 ? Method::range : Method::refine_once;
    for (const int bands : {1, 3}) {
      if (check::tiny_only() && bands > 1) continue;
      if (few && !plain && bands == 1) continue;
      check_encode_only({.source = rgba, .texture = texture, .method = method, .group_size = 8},
                        std::string(name(texture)), bands);
    }
  }
  for (const int lanes : {1, 8, 16})
    check_encode_only({.source = nv12, .form = Form::row16, .lanes = lanes}, "blocks side by side", 1);
  check_encode_only({.source = rgba, .texture = TextureFormat::bc4, .method = Method::refine_once, .form = Form::row16},
                    "one channel side by side", 1);
  if (check::device().info().has_images && !check::spared("images"))
    check_encode_only({.source = nv12, .group_size = 8, .source_memory = stages::SourceMemory::image}, "image", 1);
}

TEST_CASE("changed tiles only, of blocks that are dealt by their kind") {
  if (check::compares_nothing()) return;
  const FrameFormat nv12{PixelFormat::nv12, check::tiny_only() ? 67 : 205, check::tiny_only() ? 37 : 77, {}};
  for (const int each : {1, 4})
    check_encode_only({.source = nv12,
                       .texture = TextureFormat::astc_4x4,
                       .method = Method::refine_once,
                       .group_size = 8,
                       .only_changed = true,
                       .deal_blocks = true,
                       .blocks_each = each},
                      fmt::format("{} blocks each", each), check::tiny_only() ? 1 : 3);
}

// Blocks depend on texels of neighbouring blocks there, but not of another tile.
TEST_CASE("changed tiles only, by the search of ycocg-bc4") {
  if (check::compares_nothing() || check::spared("changed tiles by the search of ycocg-bc4")) return;
  const FrameFormat rgba{PixelFormat::rgba, check::tiny_only() ? 67 : 205, check::tiny_only() ? 5 : 77, kFullRange};
  check_encode_only(
      {.source = rgba, .texture = TextureFormat::ycocg_bc4_422, .method = Method::cluster, .group_size = 8},
      "search of ycocg-bc4-422", check::tiny_only() ? 1 : 3);
}

TEST_CASE("changed tiles only, by every method of bc1") {
  if (check::compares_nothing()) return;
  if (check::spared_on_cpu("every method of bc1")) return;
  const FrameFormat rgba{PixelFormat::rgba, check::tiny_only() ? 67 : 205, check::tiny_only() ? 5 : 77, kFullRange};
  for (const Method method : kMethods) {
    if (!has_method(TextureFormat::bc1, method)) continue;
    check_encode_only({.source = rgba, .method = method}, std::string(name(method)), 1);
    CHECK_FALSE(stages::has_form({.source = rgba, .method = method, .form = Form::group, .only_changed = true}));
  }
}
