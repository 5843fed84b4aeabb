// Compares the vectors of codec/compact/transform with scalar code: the kernels for every machine, and those of AVX2 if
// the processor has it.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "compact/macroblock_symbols.h"
#include "compact/ranks.h"
#include "compact/sub_block.h"
#include "compact/transform_reconstruction.h"
#include "lanes.h"
#include "textures.h"
#include "transform_kernels.h"
#include "transform_reference.h"

namespace texcast::compact {
namespace narrow {
namespace {
#include "fit_kernel.h"
}
}  // namespace narrow
namespace {

using Random = std::mt19937;

std::vector<const TransformKernels*> all_kernels() {
  std::vector<const TransformKernels*> all{&narrow_kernels()};
  if (wide_kernels() != nullptr) all.push_back(wide_kernels());
  return all;
}

int between(Random& random, int least, int most) {
  return least + static_cast<int>(random() % static_cast<uint32_t>(most - least + 1));
}
std::array<uint8_t, 16> bytes_of(U8x16 v) {
  std::array<uint8_t, 16> bytes;
  store_vector(bytes.data(), v);
  return bytes;
}
uint8_t limited(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

// Blocks of all kinds: noise in any range, slopes with noise, edges, extreme values, outliers, few values.
U8x16 random_block(Random& random) {
  U8x16 block{};
  const int kind = between(random, 0, 5);
  const int base = between(random, 0, 255), range = 1 << between(random, 0, 8);
  const int across = between(random, -12, 12), down = between(random, -12, 12), noise = between(random, 0, 3);
  const uint8_t values[2] = {limited(base), limited(base + between(random, -range, range))};
  const auto outlier = random() % 16;
  for (int i = 0; i < 16; ++i) {
    const int slope = base + across * (i % 4) + down * (i / 4) + between(random, -noise, noise);
    switch (kind) {
      case 0: block[i] = static_cast<uint8_t>(random()); break;
      case 1: block[i] = limited(base + between(random, 0, range)); break;
      case 2: block[i] = limited(slope); break;
      case 3: block[i] = values[random() % 2]; break;
      case 4: block[i] = random() % 2 == 0 ? 0 : 255; break;
      default: block[i] = limited(i == static_cast<int>(outlier) ? 255 - base : slope);
    }
  }
  return block;
}

bool are_equal(const FittedBlock& a, const FittedBlock& b) {
  return a.sub_block == b.sub_block && bytes_of(a.texels) == bytes_of(b.texels);
}

TEST_CASE("transform vectors: divisions by multiplication are exact") {
  if (wide_kernels() == nullptr) MESSAGE("SKIP: the kernels for AVX2, which the processor does not have");
  size_t wrong = 0;
  for (int high = 1; high < 256; ++high)
    for (int low = 0; low < high; ++low) {
      const narrow::Line line({I16x8{} + static_cast<int16_t>(high), I16x8{} + static_cast<int16_t>(low)});
      const int range = high - low;
      int texel = std::max(low - 3, 0);
      const int last = std::min(high + 3, 255);
      for (; texel <= last; texel += 8) {
        const I16x8 texels = I16x8{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<int16_t>(texel);
        const U16x8 levels = line.levels(texels), values = line.values(levels);
        for (int i = 0; i < 8; ++i) {
          int level = 0;
          for (int k = 0; k < 7; ++k) level += 14 * (texel + i - low) > (2 * k + 1) * range;
          wrong += levels[i] != level || values[i] != low + (level * range + 3) / 7;
        }
      }
    }
  CHECK(wrong == 0);
}

TEST_CASE("transform vectors: fit") {
  Random random(1);
  size_t wrong = 0, wrong_of_kernels = 0;
  for (int n = 0; n < 4000; ++n) {
    std::array<U8x16, 24> wanted{};
    std::array<FittedBlock, 24> expected, fitted;
    const int count = between(random, 1, 24);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      wanted[i] = random_block(random);
      expected[i] = reference::fit_block(wanted[i]);
    }
    fit_blocks(wanted.data(), count, fitted.data());
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) wrong += !are_equal(fitted[i], expected[i]);
    wrong += !are_equal(fit_block(wanted[0]), expected[0]);

    // Kernels get no uniform blocks.
    for (size_t i = 0; i < static_cast<size_t>(count); ++i)
      if (bytes_of(wanted[i]) == bytes_of(filled(wanted[i][0]))) {
        wanted[i][static_cast<int>(i % 16)] ^= 1;
        expected[i] = reference::fit_block(wanted[i]);
      }
    for (const TransformKernels* kernels : all_kernels()) {
      std::array<uint64_t, 16> sub_blocks, only;
      std::array<U8x16, 16> texels;
      const int of_kernel = std::min(count, 16);
      kernels->fit(wanted.data(), of_kernel, sub_blocks.data(), texels.data());
      kernels->fit(wanted.data(), of_kernel, only.data(), nullptr);
      for (size_t i = 0; i < static_cast<size_t>(of_kernel); ++i)
        wrong_of_kernels += !are_equal({sub_blocks[i], texels[i]}, expected[i]) || only[i] != sub_blocks[i];
    }
  }
  CHECK(wrong == 0);
  CHECK(wrong_of_kernels == 0);
}

TEST_CASE("transform vectors: fit of small ranges") {
  Random random(2);
  size_t wrong = 0;
  for (int least = 0; least < 256; ++least)
    for (int range = 0; range <= std::min(9, 255 - least); ++range) {
      U8x16 wanted{};
      for (int i = 0; i < 16; ++i)
        wanted[i] = static_cast<uint8_t>(least + (i <= range ? i : between(random, 0, range)));
      wrong += !are_equal(fit_block(wanted), reference::fit_block(wanted));
    }
  CHECK(wrong == 0);
}

TEST_CASE("transform vectors: texels of blocks") {
  Random random(3);
  size_t wrong = 0;
  constexpr uint64_t kAllIndices = 0xFAC6'8805'3977;  // twice 0 to 7
  for (uint64_t ends = 0; ends < 65536; ++ends) {
    const uint64_t block = ends | kAllIndices << 16, other = ends | (uint64_t{random()} << 32 | random()) << 16;
    wrong += bytes_of(nearest_texels(block)) != bytes_of(reference::nearest_texels(block));
    wrong += bytes_of(nearest_texels(other)) != bytes_of(reference::nearest_texels(other));
  }
  CHECK(wrong == 0);

  size_t wrong_in_rows = 0;
  for (int n = 0; n < 20000; ++n) {
    const int count = between(random, 1, 6);
    const size_t stride = n % 2 == 0 ? 8 : 16;
    std::vector<std::byte> blocks(stride * static_cast<size_t>(count));
    for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
    if (n % 4 == 0) blocks[0] = blocks[1];
    for (const TransformKernels* kernels : all_kernels()) {
      constexpr size_t kStride = 32;
      std::array<uint8_t, 4 * kStride> texels{};
      kernels->decode_row(blocks.data(), stride, count, texels.data(), kStride);
      for (int i = 0; i < count; ++i) {
        const U8x16 expected = reference::nearest_texels(load_sub_block(&blocks[static_cast<size_t>(i) * stride]));
        for (int k = 0; k < 16; ++k)
          wrong_in_rows += texels[static_cast<size_t>(k / 4 * int{kStride} + i * 4 + k % 4)] != expected[k];
      }
      for (size_t k = 0; k < texels.size(); ++k)
        if (k % kStride >= static_cast<size_t>(count) * 4) wrong_in_rows += texels[k] != 0;
    }
  }
  CHECK(wrong_in_rows == 0);
}

TEST_CASE("transform vectors: windows") {
  Random random(4);
  size_t wrong = 0;
  for (const auto& [across, down] : {std::pair{1, 1}, {2, 3}, {9, 7}}) {
    const TileGrid grid({.format = TextureFormat::ycocg_bc4_420, .width = across * 4, .height = down * 4});
    SamplePlanes planes(grid);
    for (uint8_t& sample : planes.all()) sample = static_cast<uint8_t>(random());
    for (int n = 0; n < 3000; ++n) {
      const int x = between(random, -40, across * 4 + 20), y = between(random, -40, down * 4 + 20);
      const int width = between(random, 1, 21), height = between(random, 1, 21);
      std::array<uint8_t, 21 * 21> expected{}, made{};
      reference::window(planes, n % 3, x, y, width, height, expected.data(), 21);
      SampleWindow memory;
      const auto [first, stride] = sample_window(planes, n % 3, x, y, width, height, memory);
      for (int j = 0; j < height; ++j) std::copy_n(first + j * stride, width, made.begin() + 21 * j);
      wrong += expected != made;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("transform vectors: interpolation") {
  Random random(5);
  size_t wrong = 0;
  constexpr int kStride = 40, kMargin = 4;
  for (int n = 0; n < 8000; ++n) {
    std::array<uint8_t, kStride * 30> from;
    for (size_t i = 0; i < from.size(); ++i)
      from[i] = static_cast<uint8_t>(n % 3 == 0   ? random()
                                     : n % 3 == 1 ? (random() % 2 == 0 ? 0 : 255)
                                                  : i + random() % 4);
    Component component;
    component.across = between(random, 1, 2);
    component.down = between(random, 1, component.across);
    TexelVector vector{.eighth_x = between(random, 0, 7), .eighth_y = between(random, 0, 7)};
    if (!is_subsampled(component)) vector = {.eighth_x = vector.eighth_x & 6, .eighth_y = vector.eighth_y & 6};
    const int width = n % 2 == 0 ? 8 * between(random, 1, 2) : between(random, 1, 16);
    const int height = between(random, 1, 16);
    const uint8_t* const at = &from[kMargin * kStride + kMargin];
    std::array<uint8_t, 16 * 17> expected{}, made{};
    reference::interpolate(at, kStride, width, height, vector, component, expected.data(), 17);
    interpolate(at, kStride, width, height, vector, component, made.data(), 17);
    wrong += expected != made;
    if (width % 8 != 0) continue;
    for (const TransformKernels* kernels : all_kernels()) {
      made.fill(0);
      interpolate(*kernels, at, kStride, width, height, vector, component, made.data(), 17);
      wrong += expected != made;
    }
  }
  CHECK(wrong == 0);
}

// Levels of all kinds: the first one only, some of the lowest, one row or column, all, extreme ones.
TransformLevels random_levels(Random& random) {
  TransformLevels levels{};
  const auto kind = random() % 6;
  const int size = 1 << between(random, 0, 15);
  for (int i = 0; i < kCoefficients; ++i) {
    const int row = i / 8, column = i % 8;
    const bool has = kind == 0   ? i == 0
                     : kind == 1 ? row < 4 && column < 4
                     : kind == 2 ? row == 0
                     : kind == 3 ? column == 0
                     : kind == 4 ? random() % 8 == 0
                                 : true;
    if (!has) continue;
    const int value = random() % 16 == 0 ? (random() % 2 == 0 ? size : -size) : between(random, -size, size);
    levels[static_cast<size_t>(i)] = static_cast<int16_t>(std::clamp(value, -32768, 32767));
  }
  return levels;
}

TEST_CASE("transform vectors: contexts of magnitudes") {
  Random random(8);
  size_t wrong = 0;
  for (int n = 0; n < 2000; ++n) {
    const TransformLevels levels = random_levels(random);
    TransformLevels known{};
    CodedMagnitudes read;
    for (int i = kCoefficients - 1; i >= 0; --i) {
      const int position = kZigzag.at[static_cast<size_t>(i)];
      wrong += read.context(i) != reference::magnitude_context(known, position);
      known[static_cast<size_t>(position)] = levels[static_cast<size_t>(position)];
      read.set(i, std::abs(static_cast<int>(levels[static_cast<size_t>(position)])));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("transform vectors: transforms") {
  Random random(6);
  size_t wrong = 0, wrong_forward = 0;
  for (int n = 0; n < 20000; ++n) {
    const TransformLevels levels = random_levels(random);
    const int step = transform_step(between(random, 0, kMostTransformQuantiser));
    Residual expected, made;
    reference::inverse_transform(levels, step, expected);
    std::array<int16_t, kCoefficients> expected_coefficients, coefficients;
    const Residual& residual = n % 2 == 0 ? levels : expected;
    reference::forward_transform(residual, expected_coefficients);
    for (const TransformKernels* kernels : all_kernels()) {
      kernels->inverse(levels, step, made);
      wrong += expected != made;
      kernels->forward(residual, coefficients);
      wrong_forward += expected_coefficients != coefficients;
    }
  }
  CHECK(wrong == 0);
  CHECK(wrong_forward == 0);
}

Macroblock random_macroblock(Random& random, bool has_reference, MacroblockLevels& levels) {
  Macroblock macroblock;
  macroblock.mode = static_cast<MacroblockMode>(between(random, has_reference ? 0 : 3, kMacroblockModes - 1));
  const int step = random() % 3 == 0 ? 16 : random() % 2 == 0 ? 2 : 1;
  macroblock.vector = {between(random, -8, 8) * step, between(random, -8, 8) * step};
  if (macroblock.mode == MacroblockMode::skip) return macroblock;
  for (size_t c = 0; c < kTransformComponents; ++c) {
    macroblock.coded[c] = static_cast<uint8_t>(random() % 16);
    for (TransformLevels& of_block : levels[c]) of_block = random_levels(random);
  }
  return macroblock;
}

TEST_CASE("transform vectors: whole slices") {
  Random random(7);
  size_t wrong = 0, slices = 0;
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444})
    for (const auto& [width, height] : {std::pair{100, 76}, {4, 4}, {132, 36}}) {
      const TextureDesc desc{format, width, height};
      const TileGrid grid(desc);
      const textures::Texture pictures[2] = {textures::photograph(desc, 30, 40), textures::noise(desc, 1)};
      for (int n = 0; n < 12; ++n) {
        const textures::Texture& reference = pictures[n % 3 == 2 ? 1 : 0];
        const bool has_reference = n % 4 != 0;
        textures::Texture expected = textures::noise(desc, 2), made = expected;
        SamplePlanes reference_samples(grid), expected_samples(grid), made_samples(grid);
        for (uint8_t& sample : reference_samples.all()) sample = static_cast<uint8_t>(random());
        const auto sub_slices = static_cast<uint8_t>(1 + n % kMostTransformSubSlices);
        for (uint32_t i = 0; i < grid.tiles() * sub_slices; ++i) {
          const Slice slice{i / sub_slices, sub_slices, static_cast<uint8_t>(i % sub_slices), 1};
          const std::byte* const from = has_reference ? reference.data() : nullptr;
          reference::Reconstruction scalar(grid, slice, {from, &reference_samples, expected.data(), &expected_samples});
          TransformReconstruction fast(grid, slice, {from, &reference_samples, made.data(), &made_samples});
          ++slices;
          for (int row = 0; row < fast.rows(); ++row)
            for (int column = 0; column < fast.columns(); ++column) {
              MacroblockLevels levels{};
              const Macroblock macroblock = random_macroblock(random, has_reference, levels);
              const int step = transform_step(between(random, 0, 40));
              scalar.reconstruct(macroblock, levels, step, column, row);
              if (n % 2 == 0)
                fast.reconstruct(macroblock, levels, step, column, row);
              else
                fast.begin(macroblock, levels, step, column, row);
            }
          fast.finish();
        }
        wrong += expected != made;
        wrong += !std::ranges::equal(expected_samples.all(), made_samples.all());
      }
    }
  CHECK(slices > 100);
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace texcast::compact
