// Transform slices by a device, compared with the CPU's.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "check.h"
#include "compact/block_fit.h"
#include "compact/contexts.h"
#include "compact/dct.h"
#include "compact/interpolation.h"
#include "compact/sample_planes.h"
#include "compact/transform_reconstruction.h"
#include "compact/transform_symbols.h"
#include "compact/transform_syntax.h"
#include "kernel_calls.h"
#include "kernels/compact.h"
#include "textures.h"

using namespace texcast;
using namespace texcast::compact;

TEST_CASE("kernels and host agree on the symbols of transform slices") {
  CHECK(transform_context::kMode.first == TEXCAST_MACROBLOCK_MODE_CONTEXT);
  CHECK(transform_context::kCodedLuma.first == TEXCAST_CODED_LUMA_CONTEXT);
  CHECK(transform_context::kCodedChroma.first == TEXCAST_CODED_CHROMA_CONTEXT);
  CHECK(transform_context::kLast.first == TEXCAST_LAST_CONTEXT);
  CHECK(transform_context::kLastMagnitude.first == TEXCAST_LAST_MAGNITUDE_CONTEXT);
  CHECK(transform_context::kMagnitude.first == TEXCAST_MAGNITUDE_CONTEXT);
  CHECK(transform_context::kEscape.first == TEXCAST_ESCAPE_CONTEXT);
  CHECK(transform_context::kEnd == TEXCAST_TRANSFORM_LITERAL_CONTEXT);
  CHECK(TEXCAST_TRANSFORM_LITERAL_CONTEXT + context::kLiteral.size <= TEXCAST_TRANSFORM_CONTEXTS);
  CHECK(kListedLiteralContext == TEXCAST_TRANSFORM_LITERAL_CONTEXT);
  CHECK(kListedContexts == TEXCAST_TRANSFORM_CONTEXTS);
  CHECK(kListedComponentAt == TEXCAST_TRANSFORM_COMPONENT_AT);
  CHECK(static_cast<int>(Content::transform) == TEXCAST_TRANSFORM_CONTENT);
  CHECK(kMostMacroblocks == TEXCAST_MACROBLOCKS);
  CHECK(kTransformComponents == TEXCAST_TRANSFORM_COMPONENTS);
  CHECK(kTransformComponents * kMostTransformBlocks == TEXCAST_TRANSFORM_BLOCKS);
  CHECK(kCoefficients == TEXCAST_COEFFICIENTS);
  for (int quantiser = 0; quantiser <= kMostTransformQuantiser; ++quantiser)
    CHECK(TEXCAST_TRANSFORM_RANGE(quantiser) == transform_range(quantiser));
}

namespace {

constexpr const char* kProgram = "compact/transform_blocks_check.cl";

int up_to(std::mt19937& random, int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); }
bool is_same(U8x16 a, U8x16 b) { return std::memcmp(&a, &b, sizeof a) == 0; }
// How many of a list an interpreter tries.
size_t number_of(size_t all) { return check::tiny_only() ? all / 64 + 1 : all; }

// Texels of all kinds of blocks: flat ones, two values, gradients, noise in any range.
U8x16 random_block(std::mt19937& random) {
  U8x16 texels{};
  const int kind = up_to(random, 5), range = up_to(random, random() % 2 == 0 ? 255 : 12);
  const int least = up_to(random, 255 - range), across = up_to(random, 16) - 8, down = up_to(random, 16) - 8;
  for (int i = 0; i < 16; ++i) {
    const int value = kind == 0   ? least
                      : kind == 1 ? least + (random() % 2 == 0 ? range : 0)
                      : kind == 2 ? std::clamp(least + across * (i % 4) + down * (i / 4), 0, 255)
                      : kind == 3 ? least + (i == 5 ? range : 0)
                                  : least + up_to(random, range);
    texels[i] = static_cast<uint8_t>(value);
  }
  return texels;
}

int16_t random_residual(std::mt19937& random, int most) {
  return static_cast<int16_t>(random() % 4 == 0 ? (random() % 2 == 0 ? -most : most) : up_to(random, 2 * most) - most);
}

}  // namespace

TEST_CASE("transform slices by the device: fit of sub-blocks") {
  std::mt19937 random(1);
  std::vector<U8x16> wanted(number_of(1 << 16));
  for (U8x16& block : wanted) block = random_block(random);
  // All ranges, and all differences from the lower end point.
  if (!check::tiny_only())
    for (int range = 1; range <= 255; ++range)
      for (int first = 0; first <= range; first += 14) {
        U8x16 block{};
        for (int i = 0; i < 14; ++i) block[i + 1] = static_cast<uint8_t>(std::min(first + i, range));
        block[15] = static_cast<uint8_t>(range);
        wanted.push_back(block + static_cast<uint8_t>(up_to(random, 255 - range)));
      }
  std::vector<uint64_t> sub_blocks(wanted.size());
  std::vector<U8x16> texels(wanted.size());
  check::KernelCalls(kProgram).run("check_fits", wanted.size(), cl::NullRange, 0, wanted, sub_blocks, texels);
  std::vector<FittedBlock> fitted(wanted.size());
  fit_blocks(wanted.data(), static_cast<int>(wanted.size()), fitted.data());
  size_t different = 0;
  for (size_t i = 0; i < wanted.size(); ++i)
    different += sub_blocks[i] != fitted[i].sub_block || !is_same(texels[i], fitted[i].texels);
  CHECK(different == 0);
}

TEST_CASE("transform slices by the device: texels rounded to the nearest") {
  std::mt19937 random(2);
  std::vector<uint64_t> sub_blocks;
  // All end points, each with random indices.
  for (unsigned ends = 0; ends < 65536; ends += check::tiny_only() ? 97 : 1)
    sub_blocks.push_back(uint64_t{random()} << 32 | (random() & 0xFFFF0000) | ends);
  std::vector<U8x16> texels(sub_blocks.size()), single(sub_blocks.size());
  check::KernelCalls(kProgram).run("check_texels", sub_blocks.size(), cl::NullRange, 0, sub_blocks, texels, single);
  size_t different = 0;
  for (size_t i = 0; i < sub_blocks.size(); ++i) {
    const U8x16 want = nearest_texels(sub_blocks[i]);
    different += !is_same(texels[i], want) || !is_same(single[i], want);
  }
  CHECK(different == 0);
}

TEST_CASE("transform slices by the device: both transforms, with the largest levels and residuals") {
  std::mt19937 random(3);
  const size_t count = number_of(4096);
  std::vector<int> quantisers(count);
  std::vector<int16_t> numbers(count * 128), got(count * 128);
  constexpr int kMost[] = {1, 12, 255, 4096, 32767};
  for (size_t i = 0; i < count; ++i) {
    quantisers[i] = static_cast<int>(i) % (kMostTransformQuantiser + 1);
    const int most_level = kMost[random() % 5], most_residual = kMost[random() % 5], last = up_to(random, 63);
    for (int k = 0; k <= last; ++k)
      numbers[i * 128 + kZigzag.at[static_cast<size_t>(k)]] = random_residual(random, most_level);
    for (size_t k = 64; k < 128; ++k) numbers[i * 128 + k] = random_residual(random, most_residual);
  }
  check::KernelCalls(kProgram).run("check_transforms", 8 * count, 8, TEXCAST_TRANSFORM_AREA * sizeof(cl_int), numbers,
                                   quantisers, got);
  size_t different = 0;
  for (size_t i = 0; i < count; ++i) {
    TransformLevels levels;
    Residual residual, inverse;
    std::copy_n(&numbers[i * 128], 64, levels.begin());
    std::copy_n(&numbers[i * 128 + 64], 64, residual.begin());
    std::array<int16_t, kCoefficients> coefficients;
    inverse_transform(levels, transform_step(quantisers[i]), inverse);
    forward_transform(residual, coefficients);
    different += !std::equal(inverse.begin(), inverse.end(), &got[i * 128]);
    different += !std::equal(coefficients.begin(), coefficients.end(), &got[i * 128 + 64]);
  }
  CHECK(different == 0);
}

TEST_CASE("transform slices by the device: interpolation at all fractions") {
  constexpr size_t kWindow = 21, kSide = 16;
  std::mt19937 random(4);
  std::vector<std::array<int, 4>> vectors, got_vectors;
  for (int down = 1; down <= 2; ++down)
    for (int across = 1; across <= 2; ++across)
      for (int i = 0; i < (check::tiny_only() ? 1 : 4); ++i)
        for (int y = -7; y <= 8; ++y)
          for (int x = -7; x <= 8; ++x)
            if (!check::tiny_only() || (x > 0 && y > 0 && (x + y) % 3 == 0))
              vectors.push_back({x + 8 * up_to(random, 9), y - 16 * i, across, down});
  got_vectors.resize(vectors.size());
  std::vector<uint8_t> windows(vectors.size() * kWindow * kWindow), texels(vectors.size() * kSide * kSide);
  // Extremes beside each other overshoot.
  for (size_t i = 0; i < windows.size(); ++i)
    windows[i] = static_cast<uint8_t>(i / (kWindow * kWindow) % 2 == 0 ? random() % 2 * 255 : random());
  check::KernelCalls(kProgram).run("check_interpolation", {kSide, kSide, vectors.size()}, cl::NullRange, 0, windows,
                                   vectors, got_vectors, texels);
  size_t different = 0;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const auto& [x, y, across, down] = vectors[i];
    const Component component{.across = across, .down = down};
    const TexelVector by = texel_vector({x, y}, component);
    std::array<uint8_t, kSide * kSide> want;
    interpolate(&windows[i * kWindow * kWindow + kTapsBefore * kWindow + kTapsBefore], kWindow, kSide, kSide, by,
                component, want.data(), kSide);
    different += got_vectors[i] != std::array{by.x, by.y, by.is_whole_blocks() ? 1 : 0, 0};
    different += !std::equal(want.begin(), want.end(), &texels[i * kSide * kSide]);
  }
  CHECK(different == 0);
}

TEST_CASE("transform slices by the device: intra prediction, with and without neighbours") {
  std::mt19937 random(5);
  std::vector<U8x16> edges;
  std::vector<std::array<int, 4>> modes;
  std::vector<uint8_t> want;
  for (const TextureFormat format : {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}) {
    const TileGrid grid({format, 128, 64});
    for (int trial = 0; trial < (check::tiny_only() ? 1 : 8); ++trial) {
      SamplePlanes samples(grid);
      for (uint8_t& sample : samples.all()) sample = static_cast<uint8_t>(random());
      const TransformReconstruction cpu(grid, {.tile = 0}, {.samples = &samples});
      for (int c = 0; c < kTransformComponents; ++c)
        for (int number = 0; number < kMostMacroblocks * kMostTransformBlocks; ++number) {
          const int macroblock = number / kMostTransformBlocks, i = number % kMostTransformBlocks;
          const TransformBlocks blocks =
              cpu.blocks(c, macroblock % kMacroblockColumns, macroblock / kMacroblockColumns);
          if (!blocks.has(i)) continue;
          const int x = blocks.x * 4 + transform_block_x(i), y = blocks.y * 4 + transform_block_y(i);
          U8x16 edge{};
          for (int k = 0; k < 8; ++k) {
            if (x > 0) edge[k] = *samples.at(c, x - 1, y + k);
            if (y > 0) edge[8 + k] = *samples.at(c, x + k, y - 1);
          }
          for (int mode = static_cast<int>(MacroblockMode::intra_dc); mode < kMacroblockModes; ++mode) {
            edges.push_back(edge);
            modes.push_back({mode, x > 0, y > 0, 0});
            MacroblockTexels texels;
            cpu.predict_intra(c, blocks, i, static_cast<MacroblockMode>(mode), texels);
            for (int row = 0; row < 8; ++row) {
              const auto at =
                  static_cast<size_t>((transform_block_y(i) + row) * kMacroblockSide + transform_block_x(i));
              want.insert(want.end(), &texels[at], &texels[at + 8]);
            }
          }
        }
    }
  }
  std::vector<uint8_t> texels(want.size());
  check::KernelCalls(kProgram).run("check_intra", {8, 8, modes.size()}, cl::NullRange, 0, edges, modes, texels);
  CHECK(texels == want);
}
