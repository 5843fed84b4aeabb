#include "lossless_coder.h"

#include <algorithm>
#include <string>

#include "base/ensure.h"
#include "ocl/program.h"
#include "vector_arguments.h"

namespace texcast::compact {
namespace {

constexpr size_t kTotals = 3;
// At most. A sub-block has its kind, end points with six residuals of four symbols each, and indices in eight pairs; or
// its kind, two residuals, and sixteen ranks with a symbol of their own. Each of a slice's eight vectors has eleven
// symbols.
constexpr size_t kMostSubBlockSymbols = 35, kMostVectorSymbols = 8 * 11;

static_assert(sizeof(texcast_component) == 11 * 4 && sizeof(texcast_analysis) == 96 &&
              sizeof(texcast_coded_slice) == 128);
static_assert(TEXCAST_ROW_NUMBERS * sizeof(cl_uint4) > kTileWidth / 4 * sizeof(texcast_analysis));

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

// The most words of a slice that is coded: fewer than it has raw, and no more than fit into a payload.
uint32_t room_of(size_t raw_bytes, size_t most_slice_bytes) {
  return static_cast<uint32_t>((std::min(raw_bytes, most_slice_bytes + 1) - 1) / 2);
}
std::vector<uint32_t> rooms_of_tiles(const TileGrid& grid, size_t most_slice_bytes) {
  std::vector<uint32_t> rooms(grid.tiles());
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
    rooms[tile] = room_of(grid.raw_bytes({.tile = tile}), most_slice_bytes);
  return rooms;
}

size_t groups(size_t count, size_t slices_of_group) { return (count + slices_of_group - 1) / slices_of_group; }

}  // namespace

LosslessCoder::Kernels::Kernels(const ocl::Device& device, bool channel) {
  const cl::Program program = ocl::build_program(device, "compact/lossless.cl", "-DCHANNEL=" + std::to_string(channel));
  analyse = cl::Kernel(program, "analyse_sub_blocks");
  decide = cl::Kernel(program, "decide_lossless");
  write_symbols = cl::Kernel(program, "write_symbols");
}

LosslessCoder::LosslessCoder(DeviceQueue& queue, const TileGrid& grid, LosslessBuffers& buffers,
                             size_t most_slice_bytes)
    : queue_(queue),
      grid_(grid),
      buffers_(buffers),
      most_slice_bytes_(most_slice_bytes),
      stride_((std::min(grid.most_raw_bytes(1), most_slice_bytes) + 1) / 2),
      symbols_(queue.memory(most_symbols(grid, buffers) * sizeof(uint16_t))),
      words_(queue.memory(grid.tiles() * stride_ * sizeof(uint16_t))),
      rooms_of_tiles_(rooms_of_tiles(grid, most_slice_bytes)),
      to_code_(queue.device(), queue.commands(), grid.tiles()),
      rooms_(queue.device(), queue.commands(), grid.tiles()),
      coded_(queue.device(), queue.commands(), grid.tiles()),
      totals_(queue.device(), queue.commands(), kTotals),
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
  code_ = cl::Kernel(ocl::build_program(queue.device(), "compact/lossless_code.cl", ""), "code_slices");
  for (auto& level : levels_) level.reserve(grid.tiles());
  to_cut_.reserve(grid.tiles());
  tiles_.reserve(grid.tiles());
  slices_.resize(grid.tiles());
  backend_slices_.resize(grid.tiles());
  encoded_.reserve(grid.tiles());
}

void LosslessCoder::encode(std::span<const TileToEncode> tiles, Stages& stages) {
  tiles_.resize(tiles.size());
  slice_count_ = used_words_ = 0;
  for (auto& level : levels_) level.assign(tiles.size(), {});
  for (size_t i = 0; i < tiles.size(); ++i) {
    levels_[0][i] = {.first = static_cast<uint32_t>(i), .count = 1};
    to_code_.host()[i] = tiles_[i] = argument(tiles[i]);
    rooms_.host()[i] = rooms_of_tiles_[tiles[i].tile];
  }
  start_slices(tiles.size(), usual_words_of_tile_ * tiles.size(), stages);
}

std::span<const EncodedTile> LosslessCoder::wait(Workers& workers, Stages& stages) {
  encoded_.resize(tiles_.size());
  end_slices(workers, tiles_.size(), stages, [&](size_t i) { take_tile(i); });
  usual_words_of_tile_ = tiles_.empty() ? 0 : used_words_ * 9 / 8 / tiles_.size() + 8;
  if (totals_.host()[2] > 0) cut_tiles(workers, stages);
  return encoded_;
}

// Encodes tiles again of which a slice has no room, and would be too long raw.
void LosslessCoder::cut_tiles(Workers& workers, Stages& stages) {
  to_cut_.clear();
  for (uint32_t i = 0; i < tiles_.size(); ++i)
    if (!has_room(i, 0)) to_cut_.push_back(i);
  if (to_cut_.empty()) return;
  for (size_t level = 1; level < kMostLevels && !to_cut_.empty(); ++level) {
    ENSURE(level < levels(grid_, most_slice_bytes_));
    encode_level(workers, level, stages);
    std::erase_if(to_cut_, [&](uint32_t i) { return has_room(i, level); });
  }
  // Lists that have grown have moved.
  for_chunks(workers, slice_count_, [&](size_t i) { refer_to_slice(i); });
  for_chunks(workers, tiles_.size(), [&](size_t i) { take_tile(i); });
}

Slice LosslessCoder::slice(size_t i, size_t level, int sub_slice) const {
  return {.tile = tiles_[i] & TEXCAST_SLICE_TILE,
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
void LosslessCoder::encode_level(Workers& workers, size_t level, Stages& stages) {
  size_t count = 0;
  const auto encode = [&] {
    start_slices(count, 0, stages);
    end_slices(workers, count, stages, [](size_t) {});
    count = 0;
  };
  for (const uint32_t i : to_cut_) {
    SlicesOfTile& slices = levels_[level][i];
    slices.first = static_cast<uint32_t>(slice_count_ + count);
    for (int sub_slice = 0; sub_slice < 1 << level; ++sub_slice) {
      const size_t raw_bytes = grid_.raw_bytes(slice(i, level, sub_slice));
      if (raw_bytes == 0) break;
      if (count == grid_.tiles()) encode();
      to_code_.host()[count] = tiles_[i] | static_cast<uint32_t>(level) << TEXCAST_SLICE_SUB_SLICES_AT |
                               static_cast<uint32_t>(sub_slice) << TEXCAST_SLICE_SUB_SLICE_AT;
      rooms_.host()[count] = room_of(raw_bytes, most_slice_bytes_);
      ++count;
      ++slices.count;
    }
  }
  encode();
}

// Starts coding the first `count` slices of to_code_ and rooms_, and downloading as many words as they usually have.
void LosslessCoder::start_slices(size_t count, size_t usual_words, Stages& stages) {
  const cl::CommandQueue& commands = queue_.commands();
  to_code_.upload(commands, count);
  rooms_.upload(commands, count);
  commands.enqueueFillBuffer(totals_.device(), cl_uint{0}, 0, kTotals * sizeof(cl_uint));
  analyse(count, stages.analysis);
  decide(count, stages.decision);
  write_symbols(count, stages.symbols);
  write(count, stages.coding);
  totals_.download(commands, kTotals, queue_.event(stages.download));
  coded_.download(commands, count, queue_.event(stages.download));
  downloaded_words_ = std::min(usual_words, count * stride_);
  download(0, downloaded_words_, stages.download);
  queue_.send();
}

// Waits for the slices of start_slices(), and adds them to slices_ and bytes_. `also_take(i)`: for slice i of these.
template <typename Take>
void LosslessCoder::end_slices(Workers& workers, size_t count, Stages& stages, const Take& also_take) {
  queue_.wait();
  const size_t first = slice_count_, words = totals_.host()[1];
  ENSURE(words <= count * stride_);
  if (words > downloaded_words_) {
    download(downloaded_words_, words, stages.download);
    queue_.send();
  }
  if (slices_.size() < first + count) {
    slices_.resize(first + count);
    backend_slices_.resize(first + count);
  }
  for_chunks(workers, count, [&](size_t i) {
    take_slice(i, first);
    also_take(i);
  });
  if (words > downloaded_words_) queue_.wait();
  used_words_ += words;
  slice_count_ += count;
}

// Adds coded slice i of the latest ones to slices_, from `first` on.
void LosslessCoder::take_slice(size_t i, size_t first) {
  slices_[first + i] = coded_.host()[i];
  slices_[first + i].first_word += static_cast<cl_uint>(used_words_);
  refer_to_slice(first + i);
}

void LosslessCoder::refer_to_slice(size_t i) {
  const texcast_coded_slice& slice = slices_[i];
  backend_slices_[i] = {
      .bytes = {static_cast<const std::byte*>(bytes_.data()) + slice.first_word * sizeof(uint16_t),
                slice.words * sizeof(uint16_t)},
      .referenced = {slice.referenced_tiles, std::min<size_t>(slice.referenced, TEXCAST_HASH_COPY_TILES)},
      .references_more = slice.referenced > TEXCAST_HASH_COPY_TILES};
}

// Downloads a part of words_ behind the words of slices_.
void LosslessCoder::download(size_t begin, size_t end, Stage& stage) {
  if (begin < end)
    queue_.download(words_, begin * sizeof(uint16_t), (end - begin) * sizeof(uint16_t),
                    static_cast<std::byte*>(bytes_.data()) + (used_words_ + begin) * sizeof(uint16_t), stage);
}

void LosslessCoder::analyse(size_t count, Stage& stage) {
  for (const LosslessComponent& c : buffers_.components) {
    cl::Kernel& kernel = kernels_of(c).analyse;
    set_arguments(kernel, buffers_.texture, buffers_.reference, c.argument, to_code_.device(),
                  static_cast<cl_uint>(count), buffers_.vectors, c.costs, c.rank_costs, c.index, c.analysis);
    queue_.launch(kernel, count * c.sub_blocks, stage);
  }
}

void LosslessCoder::decide(size_t count, Stage& stage) {
  const auto components = static_cast<int>(buffers_.components.size());
  for (int i = 0; i < components; ++i) {
    const LosslessComponent& c = buffers_.components[static_cast<size_t>(i)];
    cl::Kernel& kernel = kernels_of(c).decide;
    set_arguments(kernel, buffers_.reference, c.argument, to_code_.device(), static_cast<cl_uint>(count),
                  buffers_.vectors, c.costs, c.analysis, c.choices, coded_.device(), totals_.device(), i, components,
                  cl::Local(TEXCAST_DECIDE_SLICES * TEXCAST_ROW_NUMBERS * sizeof(cl_uint4)),
                  cl::Local(TEXCAST_DECIDE_SLICES * 16 * sizeof(cl_ushort)));
    queue_.launch_groups(kernel, groups(count, TEXCAST_DECIDE_SLICES), TEXCAST_DECIDE_ITEMS, stage);
  }
}

void LosslessCoder::write_symbols(size_t count, Stage& stage) {
  for (size_t i = 0; i < buffers_.components.size(); ++i) {
    const LosslessComponent& c = buffers_.components[i];
    cl::Kernel& kernel = kernels_of(c).write_symbols;
    set_arguments(kernel, buffers_.texture, c.argument, to_code_.device(), static_cast<cl_uint>(count),
                  buffers_.vectors, c.analysis, c.choices, coded_.device(), symbols_, static_cast<cl_int>(i));
    queue_.launch(kernel, count * c.sub_blocks, stage);
  }
}

void LosslessCoder::write(size_t count, Stage& stage) {
  set_arguments(code_, static_cast<cl_uint>(count), rooms_.device(), symbols_, slots_,
                static_cast<int>(buffers_.components.size()), static_cast<cl_uint>(stride_), words_, coded_.device(),
                totals_.device(), cl::Local(TEXCAST_CODE_SLICES * (TEXCAST_CODE_CHUNK + 1) * sizeof(cl_uint2)),
                cl::Local(TEXCAST_CODE_SLICES * stride_ * sizeof(cl_ushort)),
                cl::Local(TEXCAST_CODE_SLICES * sizeof(cl_uint2)));
  queue_.launch_groups(code_, groups(count, TEXCAST_CODE_SLICES), TEXCAST_CODE_ITEMS, stage);
}

// The result of tile i, of which slices_ has all slices.
void LosslessCoder::take_tile(size_t i) {
  EncodedTile& tile = encoded_[i];
  for (size_t level = 0; level < kMostLevels; ++level)
    tile.slices[level] = std::span(backend_slices_).subspan(levels_[level][i].first, levels_[level][i].count);
  const texcast_coded_slice& whole = slices_[levels_[0][i].first];
  for (size_t partition = 0; partition < tile.vectors.size(); ++partition)
    tile.vectors[partition] = unpacked_vector(whole.vectors[partition]);
}

}  // namespace texcast::compact
