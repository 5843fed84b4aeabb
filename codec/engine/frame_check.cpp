#include "frame_check.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"
#include "encoders.h"
#include "texcast/error.h"

namespace texcast {
namespace {

constexpr int kMostTextures = 30;
constexpr size_t kMostSamples = 48;                            // per texture
constexpr size_t kLeastSamples = 2;                            // per plane: a single one cannot show whether it varies
constexpr nanoseconds kBudget = std::chrono::milliseconds(1);  // for further samples

// Roberts' R2 sequence, whose points are spread evenly for any number of them: the column or row of point `index` among
// `count`.
constexpr uint32_t kAcross = 0xC13FA9A9, kDown = 0x91E10DA6;
int spread(uint32_t index, uint32_t step, int count) {
  return static_cast<int>(uint64_t{index * step} * static_cast<uint64_t>(count) >> 32);
}

}  // namespace

FrameCheck::FrameCheck(const TextureLayout& layout) : layout_(layout), textures_left_(kMostTextures) {}

void FrameCheck::take(size_t number, const Reference& reference) {
  if (textures_left_ == 0) return;
  --textures_left_;
  Awaited awaited{.number = number};
  const SteadyTime begun = steady_now();
  const auto planes = static_cast<size_t>(layout_.plane_count);
  std::vector<Sample>& samples = awaited.samples;
  while (samples.size() < kLeastSamples * planes || (samples.size() < kMostSamples && steady_now() - begun < kBudget))
    samples.push_back(next_sample(samples.size() % planes, reference));
  awaited_.push_back(std::move(awaited));
}

FrameCheck::Sample FrameCheck::next_sample(size_t plane, const Reference& reference) {
  const PlaneLayout& layout = layout_.planes[plane];
  const uint32_t index = ++samples_;
  const int column = spread(index, kAcross, layout.blocks_x), row = spread(index, kDown, layout.blocks_y);
  const size_t block = static_cast<size_t>(row) * static_cast<size_t>(layout.blocks_x) + static_cast<size_t>(column);
  Sample sample{.bytes = static_cast<size_t>(layout.block_bytes)};
  ENSURE(sample.bytes <= sample.block.size());
  sample.offset = layout.offset + block * sample.bytes;
  reference(plane, column, row, MutableBytes(sample.block).first(sample.bytes));
  return sample;
}

// Whether the blocks of some plane differ from each other.
bool FrameCheck::is_varied(const std::vector<Sample>& samples) const {
  const auto planes = static_cast<size_t>(layout_.plane_count);
  for (size_t i = planes; i < samples.size(); ++i)
    if (!std::ranges::equal(samples[i].view(), samples[i % planes].view())) return true;
  return false;
}

bool FrameCheck::compare(size_t number, Bytes blocks) {
  ENSURE(awaits(number) && blocks.size() == layout_.total_bytes);
  const std::vector<Sample> samples = std::move(awaited_.front().samples);
  awaited_.pop_front();
  const bool is_right = std::ranges::all_of(samples, [&](const Sample& sample) {
    return std::ranges::equal(sample.view(), blocks.subspan(sample.offset, sample.bytes));
  });
  if (!is_right || is_varied(samples)) {
    textures_left_ = 0;
    awaited_.clear();
  }
  return is_right;
}

void tell_of_wrong_blocks(const ocl::Device& device, TextureFormat format) {
  const bool came_from_cache = device.distrust();
  const std::string what = fmt::format("{} produced {} blocks that differ from the reference encoder's",
                                       name_of(device.info()), name(format));
  if (came_from_cache)
    throw Error(ErrorKind::no_device, what +
                                          ": its cached kernels were removed, so start again; or use "
                                          "--device cpu-reference");
  log_warning("{}; --device cpu-reference produces the right ones", what);
}

}  // namespace texcast
