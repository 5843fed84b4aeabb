// Frames divided into bands: after each band, its rows are complete and nothing else is written.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "check.h"
#include "format_families.h"
#include "texcast/format.h"

using namespace texcast;
using stages::Form;
using stages::StageSettings;

namespace {

constexpr auto kUntouched = std::byte{0xA5};
constexpr int kMost = 4;

// Encodes one band after the other, and checks the texture after each.
void check_bands(const StageSettings& settings, const std::string& label) {
  INFO(label);
  const auto frame = check::make_frame(settings.source, check::Pattern::random, 7);
  const auto want = check::reference_blocks(
      frame,
      {.source = settings.source, .texture = settings.texture, .method = settings.method, .options = settings.options});
  const ocl::Device& device = check::device();
  const auto stage = stages::make_stage(device, settings);
  const auto bands = stage->cut(kMost);
  REQUIRE(bands.size() >= 2);  // otherwise the case has too few rows, or too large work-groups
  REQUIRE(bands.size() <= kMost);

  const cl::CommandQueue queue = device.make_queue();
  const cl::Buffer source(device.context(), CL_MEM_READ_ONLY, frame.bytes.size());
  const cl::Buffer blocks(device.context(), CL_MEM_READ_WRITE, want.size());
  queue.enqueueWriteBuffer(source, CL_TRUE, 0, frame.bytes.size(), frame.bytes.data());
  std::vector<std::byte> got(want.size(), kUntouched);
  queue.enqueueWriteBuffer(blocks, CL_TRUE, 0, got.size(), got.data());

  std::vector<int> promised(want.size(), 0);
  size_t ready = 0;
  for (size_t b = 0; b < bands.size(); ++b) {
    INFO("band " << b << " of " << bands.size());
    stage->enqueue_band(b, queue, source, blocks, {});
    queue.enqueueReadBuffer(blocks, CL_TRUE, 0, got.size(), got.data());
    for (int p = 0; p < bands[b].part_count; ++p) {
      const auto part = bands[b].parts[static_cast<size_t>(p)];
      REQUIRE(part.bytes > 0);
      REQUIRE(part.offset + part.bytes <= want.size());
      CHECK(std::memcmp(got.data() + part.offset, want.data() + part.offset, part.bytes) == 0);
      for (size_t i = part.offset; i < part.offset + part.bytes; ++i) ++promised[i];
    }
    CHECK(bands[b].ready_bytes > ready);
    ready = bands[b].ready_bytes;
    REQUIRE(ready <= want.size());
    CHECK(std::memcmp(got.data(), want.data(), ready) == 0);
    CHECK(std::all_of(promised.begin(), promised.begin() + static_cast<std::ptrdiff_t>(ready),
                      [](int times) { return times == 1; }));
  }
  CHECK(ready == want.size());
  CHECK(std::all_of(promised.begin(), promised.end(), [](int times) { return times == 1; }));
}

// Nine rows of blocks, the last of one row of texels, and five of chroma; on an interpreter five and three.
FrameFormat source(PixelFormat format) {
  const bool tiny = check::tiny_only();
  const ColorRange range = is_rgb(format) ? ColorRange::full : ColorRange::limited;
  return {format, tiny ? 13 : 61, tiny ? 17 : 33, {ColorMatrix::bt709, range}};
}

int group_size() { return check::tiny_only() ? 4 : 8; }

}  // namespace

TEST_CASE("each band encodes its rows, and the part of the texture reported as final is final") {
  for (const TextureFormat texture : test::one_format_a_family()) {
    const bool plain = texture == TextureFormat::bc1 || texture == TextureFormat::ycocg_bc4_420;
    if (!plain && check::spared_on_cpu("bands of " + std::string(name(texture)))) continue;
    const Method method =
        is_planar_ycocg(texture) || texture == TextureFormat::bc1 ? Method::range : Method::refine_once;
    check_bands({.source = source(PixelFormat::rgba), .texture = texture, .method = method, .group_size = group_size()},
                std::string(name(texture)));
  }
}

TEST_CASE("each band deals its own blocks") {
  StageSettings settings{.source = source(PixelFormat::nv12),
                         .texture = TextureFormat::astc_4x4,
                         .method = Method::refine_once,
                         .group_size = group_size(),
                         .deal_blocks = true};
  for (const int each : {1, 2}) {
    settings.blocks_each = each;
    check_bands(settings, fmt::format("{} blocks each", each));
  }
}

TEST_CASE("every form of a kernel can encode in bands") {
  if (check::spared("bands of every form")) return;
  const FrameFormat nv12 = source(PixelFormat::nv12);
  check_bands({.source = nv12, .form = Form::row16}, "16 blocks an item");
  check_bands({.source = nv12, .form = Form::group, .blocks_per_group = 2}, "16 items a block");
  check_bands({.source = source(PixelFormat::rgba),
               .texture = TextureFormat::bc3,
               .method = Method::refine_once,
               .form = Form::row16,
               .group_size = group_size()},
              "16 blocks an item and one channel");
  if (check::spared_on_cpu("bands of kernels in two parts, of images and with black")) return;
  StageSettings separate{.source = nv12, .method = Method::lspiro1, .form = Form::group, .blocks_per_group = 2};
  separate.lspiro.kernels = stages::LspiroVariant::Kernels::separate;
  check_bands(separate, "two kernels, end points through memory");
  if (check::device().info().has_images)
    check_bands({.source = nv12, .group_size = group_size(), .source_memory = stages::SourceMemory::image}, "image");
  check_bands(
      {.source = nv12, .method = Method::cluster_search, .group_size = group_size(), .options = {.allow_black = true}},
      "black");
}
