#include "reference_encoder.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/step_back.h"
#include "base/workers.h"
#include "encoders.h"
#include "frame_intake.h"
#include "preconditions.h"
#include "ref/encode.h"

namespace texcast {
namespace {

// Whether any byte of the picture differs between the frames in a tile.
bool tile_differs(const FrameView& frame, const FrameView& before, int column, int row) {
  FrameFormat tile = frame.format;
  tile.width = kTileWidth;
  tile.height = kTileHeight;
  for (int p = 0; p < plane_count(frame.format.pixel_format); ++p) {
    const int tile_bytes = plane_row_bytes(tile, p), tile_rows = plane_rows(tile, p);
    const int left = column * tile_bytes, top = row * tile_rows;
    const int bytes = std::min(tile_bytes, plane_row_bytes(frame.format, p) - left);
    const int bottom = std::min(top + tile_rows, plane_rows(frame.format, p));
    const PlaneView &a = frame.planes[static_cast<size_t>(p)], &b = before.planes[static_cast<size_t>(p)];
    for (int y = top; y < bottom; ++y)
      if (std::memcmp(a.data + y * a.stride_bytes + left, b.data + y * b.stride_bytes + left,
                      static_cast<size_t>(bytes)) != 0)
        return true;
  }
  return false;
}

}  // namespace

ReferenceEncoder::ReferenceEncoder(const EncoderSettings& settings)
    : ReferenceEncoder(settings, FramePool::create(settings.source, most_lent(settings, 1)), settings.frames_in_flight,
                       false) {}

ReferenceEncoder::ReferenceEncoder(const EncoderSettings& settings, std::shared_ptr<FramePool> pool, int capacity)
    : ReferenceEncoder(settings, std::move(pool), capacity, true) {}

ReferenceEncoder::ReferenceEncoder(const EncoderSettings& settings, std::shared_ptr<FramePool> pool, int capacity,
                                   bool stands_in)
    : settings_(settings),
      desc_(::texcast::texture_desc(settings)),
      capacity_(capacity),
      stands_in_(stands_in),
      lent_(std::move(pool)),
      copied_(FramePool::create(settings.source,
                                static_cast<size_t>(capacity + (settings.compare || settings.keep_pictures ? 1 : 0)))),
      slots_(static_cast<size_t>(capacity) + 1),
      copies_(settings.compare ? std::make_optional<TileCopies>(desc_, slots_.size()) : std::nullopt),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) {
                const std::lock_guard lock(mutex_);
                ended_ = true;
                changed_.notify_all();
              }) {}

void ReferenceEncoder::submit(const FrameView& frame, const FrameTimes& times) {
  require_room(*this);
  require_frame(frame, settings_.source);
  const SteadyTime start = steady_now();
  Slot& slot = slot_of(submitted_);
  TakenFrame taken = take_frame(*lent_, *copied_, frame, device_name());
  slot.stages = {.stage_in = taken.copied ? steady_now() - start : nanoseconds(0)};
  slot.frame = std::move(taken.lease);
  slot.known.assign(frame.changed.begin(), frame.changed.end());
  slot.times = times;
  slot.blocks.resize(texture_layout(desc_).total_bytes);
  {
    const std::lock_guard lock(mutex_);
    ++submitted_;
  }
  changed_.notify_all();
}

bool ReferenceEncoder::wait() {
  require_frames(*this, "Encoder::next");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return taken_ < encoded_ || woken_ || ended_; });
  woken_ = false;
  if (taken_ < encoded_) return true;
  lock.unlock();
  thread_.rethrow_failure();
  return false;
}

void ReferenceEncoder::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

TextureView ReferenceEncoder::texture_of(Slot& slot) const {
  if (!settings_.keep_pictures) return {desc_, slot.blocks};
  slot.picture = slot.frame.view();
  return {desc_, slot.blocks, &slot.picture};
}

EncodedFrame ReferenceEncoder::next() {
  while (!wait()) continue;
  if (settings_.keep_pictures && taken_ > 0) slot_of(taken_ - 1).frame = {};
  Slot& slot = slot_of(taken_++);
  last_stages_ = slot.stages;
  return {texture_of(slot), slot.times, slot.changed};
}

bool ReferenceEncoder::ready() const {
  const std::lock_guard lock(mutex_);
  return taken_ < encoded_;
}

size_t ReferenceEncoder::ready_bytes() { return ready() ? texture_layout(desc_).total_bytes : 0; }

EncodedFrame ReferenceEncoder::peek() {
  require_ready_bytes(ready_bytes());
  return {texture_of(slot_of(taken_)), slot_of(taken_).times, slot_of(taken_).changed};
}

int ReferenceEncoder::in_flight() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(submitted_ - taken_);
}

size_t ReferenceEncoder::encoded() const {
  const std::lock_guard lock(mutex_);
  return encoded_;
}

std::vector<ReferenceEncoder::GivenBack> ReferenceEncoder::give_back() {
  std::unique_lock lock(mutex_);
  held_ = true;
  abandon_.request_stop();
  changed_.wait(lock, [this] { return !at_work_; });
  std::vector<GivenBack> frames;
  for (size_t frame = encoded_; frame < submitted_; ++frame)
    frames.push_back({std::move(slot_of(frame).frame), slot_of(frame).times});
  submitted_ = encoded_;
  abandon_ = std::stop_source();
  held_ = false;
  return frames;
}

void ReferenceEncoder::run(const std::stop_token& stop) {
  std::optional<Workers> workers(std::in_place);
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return encoded_ < submitted_ && !held_; };
  while (changed_.wait(lock, stop, has_work) && !stop.stop_requested()) {
    Slot& slot = slot_of(encoded_);
    at_work_ = true;
    const std::stop_token abandoned = abandon_.get_token();
    const std::stop_callback with_us(stop, [source = abandon_]() mutable { source.request_stop(); });
    lock.unlock();
    const bool whole = encode(slot, *workers, abandoned);
    lock.lock();
    at_work_ = false;
    if (whole) ++encoded_;
    changed_.notify_all();
    if (!whole) continue;
    const bool first = encoded_ == 1;
    lock.unlock();
    progress_.tell();
    if (first && stands_in_) {
      step_back();
      workers.emplace();
    }
    lock.lock();
  }
}

// False if it was asked to stop.
bool ReferenceEncoder::encode(Slot& slot, Workers& workers, const std::stop_token& stop) {
  const SteadyTime start = steady_now();
  const FrameView frame = slot.frame.view();
  const int rows = ref::block_rows(settings_.texture, frame.format.width, frame.format.height);
  if (copies_) compare(slot, workers);
  slot.stages.compare = steady_now() - start;
  workers.parallel_for(static_cast<size_t>(rows), [&](size_t row) {
    if (!stop.stop_requested()) encode_row(slot, frame, slot.blocks, static_cast<int>(row));
  });
  if (stop.stop_requested()) {
    if (copies_) copies_->forget(static_cast<size_t>(&slot - slots_.data()));
    return false;
  }
  slot.stages.kernel = steady_now() - start - slot.stages.compare;
  slot.times.encoded = wall_now();
  if (copies_) before_ = slot.frame;
  if (!settings_.keep_pictures) slot.frame = {};
  return true;
}

void ReferenceEncoder::compare(Slot& slot, Workers& workers) {
  const TileRaster grid = tile_raster(desc_.width, desc_.height);
  slot.changed.assign(grid.count(), 1);
  if (before_ && !slot.known.empty()) {
    slot.changed = slot.known;
  } else if (before_) {
    const FrameView frame = slot.frame.view(), before = before_.view();
    workers.parallel_for(static_cast<size_t>(grid.rows), [&](size_t row) {
      for (int column = 0; column < grid.columns; ++column)
        slot.changed[row * static_cast<size_t>(grid.columns) + static_cast<size_t>(column)] =
            static_cast<uint8_t>(tile_differs(frame, before, column, static_cast<int>(row)));
    });
  }
  copies_->next(static_cast<size_t>(&slot - slots_.data()), slot.changed);
}

void ReferenceEncoder::encode_row(const Slot& slot, const FrameView& frame, std::span<std::byte> blocks,
                                  int row) const {
  const Method method = method_of(settings_);
  if (!copies_) return ref::encode_row(frame, settings_.texture, method, blocks, settings_.options, row);
  const TextureLayout layout = texture_layout(desc_);
  const ref::RowPlace place = ref::row_place(layout, row);
  const PlaneLayout& plane = layout.planes[place.plane];
  const TileBlocks tile = tile_blocks(format_row(settings_.texture).planes[place.plane]);
  const TileRaster grid = tile_raster(desc_.width, desc_.height);
  const uint8_t* const changed = slot.changed.data() + place.row / tile.down * grid.columns;
  for (int column = 0; column < grid.columns; ++column)
    if (changed[column] != 0)
      ref::encode_blocks(frame, settings_.texture, method, blocks, settings_.options, place, column * tile.across,
                         tile.across);
  if (copies_->stale() == 0) return;
  // The slot of the previous frame. Nothing is encoded into it until this frame has been taken.
  const size_t slots = slots_.size();
  const Slot& before = slots_[(static_cast<size_t>(&slot - slots_.data()) + slots - 1) % slots];
  const size_t row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y);
  copies_->take_over(before.blocks.data(), blocks.data(), plane.offset + static_cast<size_t>(place.row) * row_bytes,
                     row_bytes);
}

std::unique_ptr<Encoder> make_reference_encoder(const EncoderSettings& settings) {
  return std::make_unique<ReferenceEncoder>(settings);
}

}  // namespace texcast
