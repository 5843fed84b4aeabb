// transform_bench — speed of the parts of transform slices: scalar code (the tests' reference), vectors of every
// machine, and AVX2. Run by hand, without arguments. The ways take turns, and the best of 60 turns counts, so that
// other load on the machine matters little.
#define DOCTEST_CONFIG_IMPLEMENT  // textures.cpp checks its picture
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compact/block_fit.h"
#include "compact/sub_block.h"
#include "compact/transform_reconstruction.h"
#include "textures.h"
#include "transform_kernels.h"
#include "transform_reference.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

struct Way {
  const char* name;
  std::function<void()> run;
};

void row(const char* what, int count, const std::vector<Way>& ways) {
  std::vector<double> best(ways.size(), 1e30);
  for (int turn = 0; turn < 60; ++turn)
    for (size_t i = 0; i < ways.size(); ++i) {
      const auto begin = std::chrono::steady_clock::now();
      ways[i].run();
      const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
      best[i] = std::min(best[i], taken.count());
    }
  std::printf("%-44s", what);
  for (size_t i = 0; i < ways.size(); ++i) std::printf("  %s %8.1f", ways[i].name, best[i] / count);
  std::printf(" ns\n");
}

std::vector<const TransformKernels*> all_kernels() {
  std::vector<const TransformKernels*> all{&narrow_kernels()};
  if (wide_kernels() != nullptr) all.push_back(wide_kernels());
  return all;
}
const char* name_of(const TransformKernels* kernels) { return kernels == &narrow_kernels() ? "vectors" : "AVX2"; }

// Texels of the photograph's luma whose range is more than 7, or all.
std::vector<U8x16> blocks_of_photograph(const TextureDesc& desc, const textures::Texture& texture, bool all) {
  const TileGrid grid(desc);
  const Component& luma = grid.component(0);
  std::vector<U8x16> blocks;
  for (int y = 0; y < luma.blocks_y; ++y)
    for (int x = 0; x < luma.blocks_x; ++x) {
      const uint64_t block = load_sub_block(texture.data() + luma.at(x, y));
      if (all || (block & 255) > (block >> 8 & 255) + 7) blocks.push_back(nearest_texels(block));
    }
  blocks.resize(blocks.size() / 48 * 48);
  return blocks;
}

void fits(const char* what, const std::vector<U8x16>& blocks, bool has_no_uniform) {
  std::vector<FittedBlock> fitted(blocks.size());
  std::vector<uint64_t> sub_blocks(blocks.size());
  const int count = static_cast<int>(blocks.size());
  std::vector<Way> ways{{"scalar",
                         [&] {
                           for (size_t i = 0; i < blocks.size(); ++i) fitted[i] = reference::fit_block(blocks[i]);
                         }},
                        {"by 24",
                         [&] {
                           for (int i = 0; i < count; i += 24) fit_blocks(&blocks[i], 24, &fitted[i]);
                         }},
                        {"by 4", [&] {
                           for (int i = 0; i < count; i += 4) fit_blocks(&blocks[i], 4, &fitted[i]);
                         }}};
  if (has_no_uniform)
    for (const TransformKernels* kernels : all_kernels())
      ways.push_back({name_of(kernels), [&, kernels] {
                        for (int i = 0; i < count; i += 16)
                          kernels->fit(&blocks[i], 16, &sub_blocks[static_cast<size_t>(i)], nullptr);
                      }});
  row(what, count, ways);
}

void windows(const TextureDesc& desc, const textures::Texture& texture) {
  const TileGrid grid(desc);
  const Component& luma = grid.component(0);
  constexpr int kCount = 400;
  SamplePlanes planes(grid);
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) planes.decode(grid, {.tile = tile}, texture.data());
  SampleWindow window;
  std::array<uint8_t, 21 * 21> texels;
  const auto each = [&](const auto& call) {
    for (int i = 0; i < kCount; ++i) call(8 + i * 7 % 256, 8 + i * 3 % 64);
  };
  std::vector<Way> ways{
      {"scalar",
       [&] { each([&](int x, int y) { reference::window(planes, 0, x - 20, y, 21, 21, texels.data(), 21); }); }},
      {"now", [&] { each([&](int x, int y) { sample_window(planes, 0, x - 20, y, 21, 21, window); }); }}};
  row("window of 21 x 21", kCount, ways);
  ways.clear();
  for (const TransformKernels* kernels : all_kernels())
    ways.push_back({name_of(kernels), [&, kernels] {
                      for (int i = 0; i < kCount; ++i)
                        kernels->decode_row(texture.data() + luma.at(i % 64, i % 32), 8, 6, window.at.data(),
                                            SampleWindow::kStride);
                    }});
  row("block in a row of six", kCount * 6, ways);
}

void interpolations(std::mt19937& random) {
  constexpr int kCount = 200;
  constexpr ptrdiff_t kStride = SampleWindow::kStride;
  SampleWindow window;
  for (uint8_t& texel : window.at) texel = static_cast<uint8_t>(random());
  std::array<uint8_t, 256> out;
  const uint8_t* const from = &window.at[kTapsBefore * kStride + kTapsBefore];
  Component luma, chroma;
  chroma.across = chroma.down = 2;
  for (const auto& [name, component, side, x, y] : {std::tuple{"interpolation 16 x 16, half across", &luma, 16, 4, 0},
                                                    {"interpolation 16 x 16, half down", &luma, 16, 0, 4},
                                                    {"interpolation 16 x 16, half both", &luma, 16, 4, 4},
                                                    {"interpolation 16 x 16, quarter across", &luma, 16, 2, 0},
                                                    {"interpolation 16 x 16, quarter both", &luma, 16, 2, 6},
                                                    {"interpolation 16 x 16, quarter and half", &luma, 16, 2, 4},
                                                    {"interpolation 8 x 8, eighth both", &chroma, 8, 3, 5}}) {
    const TexelVector vector{.eighth_x = x, .eighth_y = y};
    const Component& of = *component;
    const int s = side;
    std::vector<Way> ways{{"scalar", [&, s] {
                             for (int i = 0; i < kCount; ++i)
                               reference::interpolate(from, kStride, s, s, vector, of, out.data(), 16);
                           }}};
    for (const TransformKernels* kernels : all_kernels())
      ways.push_back({name_of(kernels), [&, kernels, s] {
                        for (int i = 0; i < kCount; ++i)
                          interpolate(*kernels, from, kStride, s, s, vector, of, out.data(), 16);
                      }});
    row(name, kCount, ways);
  }
}

void transforms(std::mt19937& random) {
  constexpr int kCount = 400;
  for (const auto& [name, side] : {std::pair{"inverse transform, one level", 1},
                                   {"inverse transform, 4 x 4 levels", 4},
                                   {"inverse transform, all levels", 8}}) {
    TransformLevels levels{};
    Residual residual;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) levels[static_cast<size_t>(y * 8 + x)] = static_cast<int16_t>(random() % 7 + 1);
    row(name, kCount,
        {{"scalar",
          [&] {
            for (int i = 0; i < kCount; ++i) reference::inverse_transform(levels, 64, residual);
          }},
         {"now", [&] {
            for (int i = 0; i < kCount; ++i) inverse_transform(levels, 64, residual);
          }}});
  }
  Residual residual;
  std::array<int16_t, kCoefficients> coefficients;
  for (int16_t& value : residual) value = static_cast<int16_t>(random() % 64);
  row("forward transform", kCount,
      {{"scalar",
        [&] {
          for (int i = 0; i < kCount; ++i) reference::forward_transform(residual, coefficients);
        }},
       {"now", [&] {
          for (int i = 0; i < kCount; ++i) forward_transform(residual, coefficients);
        }}});
}

template <typename Reconstruction>
void reconstruct(const TileGrid& grid, const TransformFrames& frames, const Macroblock& macroblock,
                 const MacroblockLevels& levels) {
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    Reconstruction reconstruction(grid, {tile}, frames);
    for (int y = 0; y < reconstruction.rows(); ++y)
      for (int x = 0; x < reconstruction.columns(); ++x) {
        if constexpr (requires { reconstruction.finish(); })
          reconstruction.begin(macroblock, levels, 64, x, y);
        else
          reconstruction.reconstruct(macroblock, levels, 64, x, y);
      }
    if constexpr (requires { reconstruction.finish(); }) reconstruction.finish();
  }
}

// Without the symbols.
void pictures(const TextureDesc& desc, const textures::Texture& reference) {
  const TileGrid grid(desc);
  textures::Texture made = reference;
  SamplePlanes reference_samples(grid), samples(grid);
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) reference_samples.decode(grid, {.tile = tile}, reference.data());
  const TransformFrames frames{reference.data(), &reference_samples, made.data(), &samples};
  MacroblockLevels levels{};
  for (auto& of_component : levels)
    for (TransformLevels& of_block : of_component) of_block[0] = 3, of_block[1] = of_block[9] = -2, of_block[16] = 1;
  const Macroblock copied{.mode = MacroblockMode::skip};
  const Macroblock moved{.mode = MacroblockMode::inter, .vector = {6, 10}};
  Macroblock quarter = moved;
  quarter.vector = {5, 7};
  Macroblock coded = quarter, still = copied;
  coded.coded = still.coded = {15, 15, 15};
  still.mode = MacroblockMode::inter;
  Macroblock intra = coded;
  intra.mode = MacroblockMode::intra_planar;
  for (const auto& [name, macroblock] : {std::pair{"macroblock, copied", &copied},
                                         {"macroblock, half texels", &moved},
                                         {"macroblock, quarter texels", &quarter},
                                         {"macroblock, whole texels and residual", &still},
                                         {"macroblock, quarter texels and residual", &coded},
                                         {"macroblock, intra and residual", &intra}}) {
    const Macroblock& m = *macroblock;
    row(name, desc.width / 16 * (desc.height / 16),
        {{"scalar", [&] { reconstruct<reference::Reconstruction>(grid, frames, m, levels); }},
         {"now", [&] { reconstruct<TransformReconstruction>(grid, frames, m, levels); }}});
  }
}

}  // namespace

int main() {
  doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  std::mt19937 random(1);
  const TextureDesc desc{TextureFormat::ycocg_bc4_420, 512, 256};
  const textures::Texture photograph = textures::photograph(desc, 0, 0);
  std::printf("The vectors are those of %s.\n", wide_kernels() != nullptr ? "AVX2" : "every machine");
  fits("fit, photograph", blocks_of_photograph(desc, photograph, true), false);
  fits("fit, ranges above 7", blocks_of_photograph(desc, photograph, false), true);
  windows(desc, photograph);
  interpolations(random);
  transforms(random);
  pictures(desc, photograph);
}
