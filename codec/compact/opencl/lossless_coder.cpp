#include "lossless_coder.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "base/ensure.h"
#include "ocl/program.h"
#include "vector_arguments.h"

namespace texcast::compact {
namespace {

constexpr size_t kDecisionItems = 32, kRansItems = 32, kGatherGroup = 64;
// At most. A sub-block has its kind, end points with six residuals of four symbols each, and indices in eight pairs; or
// its kind, two residuals, and sixteen ranks with a symbol of their own. Each of a slice's eight vectors has eleven
// symbols.
constexpr size_t kMostSubBlockSymbols = 35, kMostVectorSymbols = 8 * 11;

static_assert(sizeof(texcast_component) == 11 * 4 && sizeof(texcast_analysis) == 96 &&
              sizeof(texcast_coded_slice) == 128);

size_t most_symbols(const TileGrid& grid, const LosslessBuffers& buffers) {
  size_t of_tile = kMostVectorSymbols;
  for (const LosslessComponent& component : buffers.components) of_tile += component.sub_blocks * kMostSubBlockSymbols;
  return of_tile * grid.tiles();
}

size_t levels(const TileGrid& grid, size_t most_slice_bytes) {
  size_t levels = 1;
  while (grid.most_raw_bytes(static_cast<uint8_t>(1 << (levels - 1))) > most_slice_bytes) ++levels;
  return levels;
}

// For the slices of all levels.
size_t most_bytes(const TileGrid& grid, size_t most_slice_bytes) {
  size_t of_tile = 0;
  for (size_t level = 0; level < levels(grid, most_slice_bytes); ++level) {
    const auto sub_slices = static_cast<uint8_t>(1 << level);
    of_tile += sub_slices * (std::min(grid.most_raw_bytes(sub_slices), most_slice_bytes) + 1);
  }
  return of_tile * grid.tiles();
}

}  // namespace

LosslessCoder::Kernels::Kernels(const ocl::Device& device, bool channel) {
  const cl::Program program =
      ocl::build_program(device, "compact/lossless.cl",
                         "-DCHANNEL=" + std::to_string(channel) + " -DDECIDE_ITEMS=" + std::to_string(kDecisionItems));
  analyse = cl::Kernel(program, "analyse_sub_blocks");
  decide = cl::Kernel(program, "decide_lossless");
  write_symbols = cl::Kernel(program, "write_symbols");
}

LosslessCoder::LosslessCoder(const DeviceQueue& queue, const TileGrid& grid, LosslessBuffers& buffers,
                             size_t most_slice_bytes)
    : queue_(queue),
      grid_(grid),
      buffers_(buffers),
      most_slice_bytes_(most_slice_bytes),
      stride_((std::min(grid.most_raw_bytes(1), most_slice_bytes) + 1) / 2),
      symbols_(queue.memory(most_symbols(grid, buffers) * sizeof(uint16_t))),
      words_(queue.memory(grid.tiles() * stride_ * sizeof(uint16_t))),
      all_words_(queue.memory(grid.tiles() * stride_ * sizeof(uint16_t))),
      to_code_(queue.device(), queue.commands(), grid.tiles()),
      rooms_(queue.device(), queue.commands(), grid.tiles()),
      coded_(queue.device(), queue.commands(), grid.tiles()),
      totals_(queue.device(), queue.commands(), 2),
      bytes_(queue.device(), queue.commands(), most_bytes(grid, most_slice_bytes)) {
  std::vector<uint32_t> slots;
  for (int i = 0; i < grid_.component_count(); ++i) {
    const auto of_component = symbol_tables(grid_.component(i).tables).slots;
    slots.insert(slots.end(), of_component.begin(), of_component.end());
  }
  slots_ = constant_buffer(queue.device(), slots);
  for (const LosslessComponent& component : buffers.components)
    if (auto& kernels = component.is_channel() ? of_channels_ : of_colors_; !kernels)
      kernels.emplace(queue.device(), component.is_channel());
  const cl::Program rans = ocl::build_program(queue.device(), "compact/rans.cl", "");
  code_ = cl::Kernel(rans, "code_slices");
  gather_ = cl::Kernel(rans, "gather_slices");
  for (auto& level : levels_) level.reserve(grid.tiles());
  to_cut_.reserve(grid.tiles());
  tiles_.reserve(grid.tiles());
  slices_.reserve(grid.tiles());
  backend_slices_.reserve(grid.tiles());
  encoded_.reserve(grid.tiles());
}

std::span<const EncodedTile> LosslessCoder::encode(std::span<const TileToEncode> tiles, Stages& stages) {
  tiles_.assign(tiles.begin(), tiles.end());
  slices_.clear();
  used_bytes_ = 0;
  to_cut_.resize(tiles.size());
  std::iota(to_cut_.begin(), to_cut_.end(), 0);
  for (size_t level = 0; level < kMostLevels; ++level) {
    levels_[level].assign(tiles.size(), {});
    if (to_cut_.empty()) continue;
    ENSURE(level < levels(grid_, most_slice_bytes_));
    encode_level(level, stages);
    std::erase_if(to_cut_, [&](uint32_t i) { return has_room(i, level); });
  }
  queue_.commands().finish();
  return result();
}

Slice LosslessCoder::slice(size_t i, size_t level, int sub_slice) const {
  return {.tile = tiles_[i].tile,
          .sub_slices = static_cast<uint8_t>(1 << level),
          .sub_slice = static_cast<uint8_t>(sub_slice)};
}

bool LosslessCoder::has_room(size_t i, size_t level) const {
  const SlicesOfTile& slices = levels_[level][i];
  for (uint32_t sub_slice = 0; sub_slice < slices.count; ++sub_slice)
    if (slices_[slices.first + sub_slice].words == 0 &&
        grid_.raw_bytes(slice(i, level, static_cast<int>(sub_slice))) > most_slice_bytes_)
      return false;
  return true;
}

// Encodes the tiles in to_cut_, each in 2^level slices, as many at once as there is memory for.
void LosslessCoder::encode_level(size_t level, Stages& stages) {
  size_t count = 0;
  for (const uint32_t i : to_cut_) {
    SlicesOfTile& slices = levels_[level][i];
    slices.first = static_cast<uint32_t>(slices_.size() + count);
    for (int sub_slice = 0; sub_slice < 1 << level; ++sub_slice) {
      const size_t raw_bytes = grid_.raw_bytes(slice(i, level, sub_slice));
      if (raw_bytes == 0) break;
      if (count == grid_.tiles()) {
        encode_slices(count, stages);
        count = 0;
      }
      to_code_.host()[count] = argument(tiles_[i]) | static_cast<uint32_t>(level) << TEXCAST_SLICE_SUB_SLICES_AT |
                               static_cast<uint32_t>(sub_slice) << TEXCAST_SLICE_SUB_SLICE_AT;
      rooms_.host()[count] = static_cast<uint32_t>((std::min(raw_bytes, most_slice_bytes_ + 1) - 1) / 2);
      ++count;
      ++slices.count;
    }
  }
  encode_slices(count, stages);
}

// Encodes the first `count` slices of to_code_ and rooms_, and adds them to slices_ and bytes_.
void LosslessCoder::encode_slices(size_t count, Stages& stages) {
  const cl::CommandQueue& commands = queue_.commands();
  to_code_.upload(commands, count);
  rooms_.upload(commands, count);
  commands.enqueueFillBuffer(totals_.device(), cl_uint{0}, 0, 2 * sizeof(cl_uint));
  decide(count, stages.decision);
  write(count, stages.coding);
  totals_.download(commands, 2);
  coded_.download(commands, count);
  commands.finish();
  const size_t base = used_bytes_ / sizeof(uint16_t), bytes = totals_.host()[1] * sizeof(uint16_t);
  if (bytes > 0)
    queue_.download(all_words_, 0, bytes, static_cast<std::byte*>(bytes_.data()) + used_bytes_, stages.download);
  used_bytes_ += bytes;
  for (size_t i = 0; i < count; ++i) {
    slices_.push_back(coded_.host()[i]);
    slices_.back().first_word += static_cast<uint32_t>(base);
  }
}

void LosslessCoder::decide(size_t count, Stage& stage) {
  const auto slices = static_cast<cl_uint>(count);
  const auto components = static_cast<int>(buffers_.components.size());
  for (int i = 0; i < components; ++i) {
    const LosslessComponent& c = buffers_.components[static_cast<size_t>(i)];
    Kernels& kernels = c.is_channel() ? *of_channels_ : *of_colors_;
    set_arguments(kernels.analyse, buffers_.texture, buffers_.reference, c.argument, to_code_.device(), slices,
                  buffers_.vectors, c.costs, c.rank_costs, c.index, c.analysis);
    queue_.launch(kernels.analyse, count * c.sub_blocks, stage);
    set_arguments(kernels.decide, buffers_.reference, c.argument, to_code_.device(), slices, buffers_.vectors, c.costs,
                  c.analysis, c.choices, coded_.device(), totals_.device(), i, components,
                  cl::Local(16 * kDecisionItems * sizeof(cl_ushort)));
    queue_.launch(kernels.decide, count, stage, kDecisionItems);
  }
  for (int i = 0; i < components; ++i) {
    const LosslessComponent& c = buffers_.components[static_cast<size_t>(i)];
    Kernels& kernels = c.is_channel() ? *of_channels_ : *of_colors_;
    set_arguments(kernels.write_symbols, buffers_.texture, c.argument, to_code_.device(), slices, buffers_.vectors,
                  c.analysis, c.choices, coded_.device(), symbols_, i);
    queue_.launch(kernels.write_symbols, count * c.sub_blocks, stage);
  }
}

void LosslessCoder::write(size_t count, Stage& stage) {
  const auto stride = static_cast<cl_uint>(stride_);
  set_arguments(code_, static_cast<cl_uint>(count), rooms_.device(), symbols_, slots_,
                static_cast<int>(buffers_.components.size()), stride, words_, coded_.device(), totals_.device());
  queue_.launch(code_, count, stage, kRansItems);
  set_arguments(gather_, words_, coded_.device(), stride, all_words_);
  queue_.launch_groups(gather_, count, kGatherGroup, stage);
}

std::span<const EncodedTile> LosslessCoder::result() {
  backend_slices_.clear();
  for (const texcast_coded_slice& slice : slices_)
    backend_slices_.push_back(
        {.bytes = {static_cast<const std::byte*>(bytes_.data()) + slice.first_word * sizeof(uint16_t),
                   slice.words * sizeof(uint16_t)},
         .referenced = {slice.referenced_tiles, std::min<size_t>(slice.referenced, TEXCAST_HASH_COPY_TILES)},
         .references_more = slice.referenced > TEXCAST_HASH_COPY_TILES});
  encoded_.clear();
  for (size_t i = 0; i < tiles_.size(); ++i) {
    EncodedTile& tile = encoded_.emplace_back();
    for (size_t level = 0; level < kMostLevels; ++level)
      tile.slices[level] = std::span(backend_slices_).subspan(levels_[level][i].first, levels_[level][i].count);
    const texcast_coded_slice& whole = slices_[levels_[0][i].first];
    for (size_t partition = 0; partition < tile.vectors.size(); ++partition)
      tile.vectors[partition] = unpacked_vector(whole.vectors[partition]);
  }
  return encoded_;
}

}  // namespace texcast::compact
