// Samples of the reference frame on a device that do not come from transform slices, compared with the CPU's.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "compact/sample_planes.h"
#include "component_argument.h"
#include "device_samples.h"
#include "kernel_calls.h"
#include "kernels/compact.h"
#include "textures.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

constexpr TextureFormat kFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444,
                                      TextureFormat::ycocg_bc4_422};

// The samples of a picture, on the host and on the device.
struct Samples {
  explicit Samples(const TextureDesc& desc)
      : grid(desc), planes(grid), kernels("compact/reference_samples.cl"), texture(textures::noise(desc, 7)) {
    for (int i = 0; i < grid.component_count(); ++i)
      components.push_back({.component = component_argument(grid, grid.component(i)), .tables = 0, .least_range = {}});
    std::mt19937 random(3);
    for (uint8_t& sample : planes.all()) sample = static_cast<uint8_t>(random());
    on_device = check::device_samples(grid, planes);
  }
  bool are_same() const { return on_device == check::device_samples(grid, planes); }
  template <typename... Lists>
  void run(const char* kernel, size_t groups, Lists&... lists) {
    kernels.run(kernel, groups * TEXCAST_SAMPLES_ITEMS, TEXCAST_SAMPLES_ITEMS, 0, lists...);
  }

  const TileGrid grid;
  SamplePlanes planes;
  std::vector<check::BlockSamples> on_device;
  std::vector<texcast_decoded_component> components;
  check::KernelCalls kernels;
  const textures::Texture texture;
};

TextureDesc desc_of(TextureFormat format) {
  const auto [width, height] = check::tiny_only() ? std::pair(76, 44) : std::pair(276, 140);
  return {.format = format, .width = width, .height = height};
}

// Every third tile.
std::vector<cl_uint> some_tiles(const TileGrid& grid) {
  std::vector<cl_uint> tiles;
  for (uint32_t tile = 0; tile < grid.tiles(); tile += 3) tiles.push_back(tile);
  return tiles;
}

}  // namespace

TEST_CASE("samples of transform slices' reference frames by the device: of listed tiles") {
  for (const TextureFormat format : kFormats) {
    CAPTURE(name(format));
    Samples samples(desc_of(format));
    const std::vector<cl_uint> tiles = some_tiles(samples.grid);
    for (const uint32_t tile : tiles) samples.planes.decode(samples.grid, {.tile = tile}, samples.texture.data());
    samples.run("sample_tiles", tiles.size(), tiles, samples.components, samples.texture, samples.on_device);
    CHECK(samples.are_same());
  }
}

TEST_CASE("samples of transform slices' reference frames by the device: of parsed slices that are valid") {
  for (const TextureFormat format : kFormats) {
    CAPTURE(name(format));
    Samples samples(desc_of(format));
    std::mt19937 random(5);
    const cl_int first = 2;
    std::vector<texcast_decoded_part> parts(first, {.slice = 0,
                                                    .tile = 0,
                                                    .sub_slices = 1,
                                                    .sub_slice = 0,
                                                    .intra = 0,
                                                    .is_valid = 1,
                                                    .quantiser = 0,
                                                    .copied = 0,
                                                    .vectors = {}});
    for (uint32_t tile = 1; tile < samples.grid.tiles(); ++tile) {
      const auto sub_slices = static_cast<uint8_t>(1 << random() % 3);
      if (sub_slices > samples.grid.most_sub_slices()) continue;
      for (uint8_t sub_slice = 0; sub_slice < sub_slices; ++sub_slice) {
        parts.push_back(parts.front());
        parts.back().tile = static_cast<int>(tile);
        parts.back().sub_slices = sub_slices;
        parts.back().sub_slice = sub_slice;
        parts.back().is_valid = random() % 3 != 0;
        if (parts.back().is_valid != 0)
          samples.planes.decode(samples.grid, {tile, sub_slices, sub_slice}, samples.texture.data());
      }
    }
    samples.run("sample_parts", parts.size() - first, first, parts, samples.components, samples.texture,
                samples.on_device);
    CHECK(samples.are_same());
  }
}

TEST_CASE("samples of transform slices' reference frames by the device: of the host, in eighths of tiles") {
  for (const TextureFormat format : kFormats) {
    CAPTURE(name(format));
    Samples samples(desc_of(format));
    std::mt19937 random(6);
    SamplePlanes host(samples.grid);
    for (uint8_t& sample : host.all()) sample = static_cast<uint8_t>(random());
    const std::vector<cl_uint> tiles = some_tiles(samples.grid);
    std::vector<cl_uint> eighths;
    const auto sub_slices = static_cast<uint8_t>(samples.grid.most_sub_slices());
    for (const uint32_t tile : tiles) {
      eighths.push_back(0);
      for (uint8_t sub_slice = 0; sub_slice < sub_slices; ++sub_slice) {
        if (random() % 2 == 0) continue;
        const int count = 8 / sub_slices;
        eighths.back() |= ((1u << count) - 1) << (sub_slice * count);
        samples.planes.copy(samples.grid, {tile, sub_slices, sub_slice}, host);
      }
    }
    const std::vector<uint8_t> planes(host.all().begin(), host.all().end());
    samples.run("take_samples", tiles.size(), tiles, eighths, samples.components, planes, samples.on_device);
    CHECK(samples.are_same());
  }
}
