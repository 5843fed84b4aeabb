#include "transform.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "compact/block_fit.h"
#include "compact/rd_parameters.h"
#include "compact/sub_block.h"
#include "compact/transform_syntax.h"
#include "rd_decision.h"
#include "stages/stage.h"
#include "tile_lists.h"
#include "transform_decision.h"
#include "transform_planes.h"
#include "tuner/timing.h"

namespace texcast::bench {
namespace {

using namespace compact;
using Texture = std::vector<std::byte>;
using Plane = std::vector<uint8_t>;

// A frame's planes. All of them have whole blocks.
struct Picture {
  std::array<Plane, kTransformComponents> planes;
};

int width_of(const Component& c) { return c.blocks_x * 4; }
int height_of(const Component& c) { return c.blocks_y * 4; }

Picture picture_of(const TileGrid& grid, const std::vector<std::byte>& nv12) {
  const int width = grid.texture().width, height = grid.texture().height;
  Picture picture;
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid.component(c);
    for (int y = 0; y < height_of(component); ++y)
      for (int x = 0; x < width_of(component); ++x) {
        const int column = std::min(x, width / component.across - 1), row = std::min(y, height / component.down - 1);
        const int at = c == 0 ? row * width + column : (height + row) * width + 2 * column + c - 1;
        picture.planes[c].push_back(std::to_integer<uint8_t>(nv12[static_cast<size_t>(at)]));
      }
  }
  return picture;
}

// Random values at the points of a grid, and between them linearly.
class Cloud {
 public:
  Cloud(int spacing, int range, uint32_t seed) : spacing_(spacing) {
    std::mt19937 random(seed);
    for (int& value : values_) value = static_cast<int>(random() % static_cast<uint32_t>(range + 1)) - range / 2;
  }
  float at(float x, float y) const {
    const float u = x / static_cast<float>(spacing_), v = y / static_cast<float>(spacing_);
    const float left = std::floor(u), top = std::floor(v), across = u - left, down = v - top;
    const auto value = [&](int i, int j) {
      return static_cast<float>(
          values_[static_cast<size_t>(((static_cast<int>(top) + j) & 63) * 64 + ((static_cast<int>(left) + i) & 63))]);
    };
    return (value(0, 0) * (1 - across) + value(1, 0) * across) * (1 - down) +
           (value(0, 1) * (1 - across) + value(1, 1) * across) * down;
  }

 private:
  int spacing_;
  std::array<int, 64 * 64> values_;
};

// Clouds that move by 3.5 and 2 pixels in a frame, under noise.
Picture moved_clouds(const TileGrid& grid, int frame) {
  const std::array clouds{Cloud(61, 120, 1), Cloud(13, 50, 2), Cloud(3, 20, 3)};
  std::mt19937 random(static_cast<uint32_t>(frame));
  Picture picture;
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid.component(c);
    for (int y = 0; y < height_of(component); ++y)
      for (int x = 0; x < width_of(component); ++x) {
        const float u = static_cast<float>(x * component.across) + 3.5f * static_cast<float>(frame);
        const float v = static_cast<float>(y * component.down) + 2.0f * static_cast<float>(frame);
        float value = 128 + static_cast<float>(random() % 5) - 2;
        for (const Cloud& cloud : clouds) value += cloud.at(u + 1000 * static_cast<float>(c), v) / (c == 0 ? 1 : 3);
        picture.planes[c].push_back(static_cast<uint8_t>(std::clamp(static_cast<int>(value), 0, 255)));
      }
  }
  return picture;
}

Texture texture_of(const TileGrid& grid, const Picture& picture) {
  Texture texture(grid.texture_bytes());
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid.component(c);
    const auto stride = static_cast<size_t>(width_of(component));
    for (int y = 0; y < component.blocks_y; ++y)
      for (int x = 0; x < component.blocks_x; ++x) {
        const uint8_t* const at = &picture.planes[c][static_cast<size_t>(4 * y) * stride + static_cast<size_t>(4 * x)];
        store_sub_block(texture.data() + component.at(x, y),
                        fit_block(load_block(at, static_cast<int>(stride))).sub_block);
      }
  }
  return texture;
}
// The luma of a texture.
Plane luma_of(const TileGrid& grid, const Texture& texture) {
  const Component& luma = grid.component(0);
  const auto stride = static_cast<size_t>(width_of(luma));
  Plane plane(stride * static_cast<size_t>(height_of(luma)));
  for (int y = 0; y < luma.blocks_y; ++y)
    for (int x = 0; x < luma.blocks_x; ++x) {
      const U8x16 texels = nearest_texels(load_sub_block(texture.data() + luma.at(x, y)));
      for (size_t i = 0; i < 16; ++i)
        plane[(static_cast<size_t>(4 * y) + i / 4) * stride + static_cast<size_t>(4 * x) + i % 4] =
            texels[static_cast<int>(i)];
    }
  return plane;
}

struct Times {
  std::vector<double> search, blocks, planes, intra, inter, fit;  // in microseconds
  std::array<int, kMacroblockModes> modes{};                      // of inter frames
  uint64_t sum = 0;                                               // of the reconstructions
};

double microseconds(const Stage& stage) { return std::chrono::duration<double, std::micro>(stage.time()).count(); }

class TransformBench {
 public:
  TransformBench(const ocl::Device& device, const TileGrid& grid, const TransformForm& form)
      : grid_(grid),
        queue_(device),
        buffers_(queue_, grid),
        tables_(device, grid),
        transform_tables_(device, grid),
        decision_(queue_, grid, buffers_, tables_),
        planes_(queue_, grid, buffers_, tables_),
        transform_(queue_, grid, buffers_, tables_, transform_tables_, planes_, form),
        lists_(queue_, grid) {}

  // Encodes a frame; `previous` is nullptr for the first one.
  void encode(const Texture& texture, const Texture* previous, double crf, Times& times) {
    const bool intra = previous == nullptr;
    write(buffers_.texture, texture);
    write(buffers_.source_plane, luma_of(grid_, texture));
    if (!intra) {
      write(buffers_.previous_plane, luma_of(grid_, *previous));
      write(buffers_.reference, reconstruction_);
      write(buffers_.reference_plane, luma_of(grid_, reconstruction_));
    }
    std::vector<TileToEncode> tiles;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile)
      tiles.push_back({.tile = tile,
                       .intra = intra,
                       .attempt = CodingAttempt::both,
                       .adapts_lambda = true,
                       .parameters = rd_parameters(crf),
                       .changed_partitions = 0xFF,
                       .own = {4, 2}});
    Stage search, blocks, planes, transform, fit;
    decision_.begin_frame();
    AttemptOrder order(tiles.size());
    order.set(tiles);
    decision_.start(order, search_effort(Quality::fast), workers_, search);
    decision_.search(queue_, 0, order.size(), {}, TexelSource::blocks, search);
    decision_.decide(queue_, tiles.size(), blocks);
    if (!intra) keep_samples(tiles, planes);
    transform_.start(decision_.device_tiles(), decision_.first(), tiles.size(), decision_.texels(), transform);
    transform_.fit(decision_.device_tiles(), decision_.first(), fit);
    queue_.send();
    queue_.wait();
    (intra ? times.intra : times.inter).push_back(microseconds(transform));
    if (!intra) {
      times.search.push_back(microseconds(search));
      times.blocks.push_back(microseconds(blocks));
      times.planes.push_back(microseconds(planes));
      times.fit.push_back(microseconds(fit));
    }
    read(times, intra);
  }

 private:
  template <typename List>
  void write(const cl::Buffer& to, const List& list) {
    queue_.commands().enqueueWriteBuffer(to, CL_TRUE, 0, list.size() * sizeof list[0], list.data());
  }
  // The samples of the previous frame become those of the reference frame.
  void keep_samples(std::span<const TileToEncode> tiles, Stage& stage) {
    std::vector<uint32_t> all;
    for (const TileToEncode& tile : tiles) all.push_back(tile.tile | TEXCAST_KEPT_SAMPLES);
    lists_.clear();
    Stage upload;
    const TileList list = lists_.put(queue_, all, upload);
    planes_.update(lists_, list, transform_.samples(), stage);
    planes_.interpolate(stage);
  }
  void read(Times& times, bool intra) {
    reconstruction_.resize(grid_.texture_bytes());
    queue_.commands().enqueueReadBuffer(transform_.texture(), CL_TRUE, 0, reconstruction_.size(),
                                        reconstruction_.data());
    for (size_t i = 0; i < reconstruction_.size(); i += 8)
      times.sum = (times.sum ^ load_sub_block(&reconstruction_[i])) * 0x9E3779B97F4A7C15u;
    if (intra) return;
    std::vector<texcast_macroblock> macroblocks(grid_.tiles() * TEXCAST_MACROBLOCKS);
    queue_.commands().enqueueReadBuffer(transform_.macroblocks(), CL_TRUE, 0,
                                        macroblocks.size() * sizeof macroblocks[0], macroblocks.data());
    for (const texcast_macroblock& macroblock : macroblocks) ++times.modes[static_cast<size_t>(macroblock.mode)];
  }

  const TileGrid& grid_;
  Workers workers_;
  DeviceQueue queue_;
  RdFrameBuffers buffers_;
  const RdTables tables_;
  const TransformTables transform_tables_;
  RdDecision decision_;
  TransformPlanes planes_;
  TransformDecision transform_;
  TileLists lists_;
  Texture reconstruction_;
};

}  // namespace

std::string transform_table(const ocl::Device& device, const TransformSettings& settings,
                            const std::vector<std::vector<std::byte>>& frames) {
  constexpr int kMadeFrames = 3;
  const TileGrid grid(settings.texture);
  std::vector<Texture> textures;
  for (const auto& frame : frames) textures.push_back(texture_of(grid, picture_of(grid, frame)));
  for (int i = 0; i < kMadeFrames && frames.empty(); ++i) textures.push_back(texture_of(grid, moved_clouds(grid, i)));
  std::string text =
      "items  registers  search us  blocks us  planes us  intra us  inter us  fit us  skip inter coded | dc hor ver "
      "planar\n";
  uint64_t first_sum = 0;
  for (const auto& [items, registers] :
       {std::pair(32, 0), {32, 64}, {64, 0}, {64, 48}, {64, 64}, {128, 0}, {128, 48}, {128, 64}}) {
    if (registers > 0 && !stages::limits_registers(device)) continue;
    TransformBench bench(device, grid, {.items = items, .registers = registers});
    Times times;
    for (int round = 0; round < settings.rounds; ++round)
      for (size_t i = 0; i < textures.size(); ++i)
        bench.encode(textures[i], i == 0 ? nullptr : &textures[i - 1], settings.crf, times);
    if (first_sum == 0) first_sum = times.sum;
    const auto median = [](const std::vector<double>& list) { return list.empty() ? 0 : tuner::median(list); };
    text += fmt::format("{:5}  {:9}  {:9.1f}  {:9.1f}  {:9.1f}  {:8.1f}  {:8.1f}  {:6.1f}  ", items, registers,
                        median(times.search), median(times.blocks), median(times.planes), median(times.intra),
                        median(times.inter), median(times.fit));
    for (const int count : times.modes) text += fmt::format("{} ", count);
    text += times.sum == first_sum ? "the same\n" : "DIFFERENT\n";
  }
  return text;
}

}  // namespace texcast::bench
