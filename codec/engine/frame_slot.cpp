#include "frame_slot.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ocl/profile.h"

namespace texcast {
namespace {

bool is_over(const cl::Event& event) {
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <=
         CL_COMPLETE;  // negative: it failed, which wait() reports
}

}  // namespace

FrameComparison::FrameComparison(const ocl::Device& device, const FrameFormat& source, const TextureDesc& desc)
    : grid(tile_raster(source.width, source.height)),
      format(desc.format),
      layout(texture_layout(desc)),
      stage(device, source),
      maps(device.make_queue()),
      fetches(device.make_queue()),
      all(device.context(), CL_MEM_READ_ONLY, grid.count()) {
  maps.enqueueFillBuffer(all, uint8_t{1}, 0, grid.count());
  maps.finish();
}

FrameSlot::FrameSlot(const ocl::Device& device, FrameQueues queues, size_t source_bytes,
                     const std::vector<stages::StageBand>& bands, Completion& completion, FrameComparison* comparison,
                     bool keep)
    : completion_(completion),
      queues_(std::move(queues)),
      shared_(device.info().shares_host_memory),
      keep_(keep),
      source_bytes_(source_bytes),
      texture_bytes_(bands.back().ready_bytes),
      comparison_(comparison),
      tiles_(comparison == nullptr ? 0 : comparison->grid.count()) {
  bands_.resize(bands.size());
  for (size_t i = 0; i < bands.size(); ++i) bands_[i].cut = bands[i];
  const size_t pinned_bytes = texture_bytes_ + (shared_ ? 0 : tiles_);
  if (shared_ && bands.size() > 1) {
    // Mapping parts of a buffer at the same time is only safe if it is made over the host's own memory.
    own_memory_ = make_host_memory();
    blocks_host_ = own_memory_->allocate(texture_bytes_);
    if (blocks_host_ == nullptr) throw cl::Error(CL_OUT_OF_HOST_MEMORY, "memory for blocks");
    blocks_pinned_ =
        cl::Buffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, texture_bytes_, blocks_host_);
  } else {
    blocks_pinned_ = cl::Buffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, pinned_bytes);
  }
  if (comparison_ != nullptr) {
    map_ = cl::Buffer(device.context(), CL_MEM_READ_WRITE, tiles_);
    rectangles_.reserve(kMostRectangles + 1);
    lost_.reserve(tiles_);
  }
  if (shared_) {
    blocks_ = blocks_pinned_;
    own_changed_.resize(tiles_);
    changed_ = own_changed_.data();
    return;
  }
  source_ = cl::Buffer(device.context(), CL_MEM_READ_ONLY, source_bytes);
  lacks_.resize(tiles_, 1);
  // Includes a whole last row of the widest plane, which some drivers require for rectangles there.
  size_t row_bytes = 0;
  if (comparison_ != nullptr)
    row_bytes = static_cast<size_t>(comparison_->layout.planes[0].blocks_x * comparison_->layout.planes[0].block_bytes);
  blocks_ = cl::Buffer(device.context(), CL_MEM_READ_WRITE, texture_bytes_ + row_bytes);
  blocks_host_ = static_cast<std::byte*>(
      queues_.download.enqueueMapBuffer(blocks_pinned_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, pinned_bytes));
  changed_ = reinterpret_cast<uint8_t*>(blocks_host_ + texture_bytes_);
}

FrameSlot::~FrameSlot() {
  try {
    if (comparison_ != nullptr) {
      comparison_->maps.finish();
      comparison_->fetches.finish();
    }
    if (shared_) {
      queues_.download.finish();  // the maps of a pending frame, before other queues unmap
      recycle();
    } else {
      queues_.download.enqueueUnmapMemObject(blocks_pinned_, blocks_host_);
    }
    queues_.upload.finish();
    queues_.compute.finish();
    queues_.download.finish();
  } catch (const cl::Error&) {
    // the device is lost, and there is nothing to release
  }
}

void FrameSlot::frame_differs(std::span<const uint8_t> changed) {
  if (changed.empty())
    std::fill(lacks_.begin(), lacks_.end(), uint8_t{1});
  else
    for (size_t t = 0; t < lacks_.size(); ++t) lacks_[t] |= changed[t];
}

void FrameSlot::start(stages::Stage& stage, FrameLease frame, SharedSources* shared, const Before& before) {
  frame_ = std::move(frame);
  if (keep_) picture_ = frame_.view();
  ready_bands_ = 0;
  downloaded_bytes_ = 0;
  map_there_ = cl::Event();
  compared_[0] = cl::Event();
  lost_.clear();
  whole_ = before.slot == nullptr || (before.expect_all && !shared_);
  fetches_later_ = !whole_ && !shared_;
  fetched_ = false;
  if (comparison_ != nullptr) {
    stage.encode_only(whole_ ? comparison_->all : map_);
    if (before.slot == nullptr)
      std::fill_n(changed_, tiles_, uint8_t{1});
    else
      std::copy(before.changed.begin(), before.changed.end(), changed_);
  }
  if (shared_)
    start_shared(stage, shared->of(frame_), before);
  else
    start_with_transfers(stage, before);
}

void FrameSlot::start_shared(stages::Stage& stage, SharedSource& source, const Before& before) {
  shared_source_ = &source;
  uploaded_ = source.to_device();
  queues_.upload.flush();
  mapped_ = true;
  if (before.slot != nullptr) find_changes(before);
  // If frames are compared, the host writes the tiles that did not change.
  const cl_map_flags flags = CL_MAP_READ | (comparison_ != nullptr ? CL_MAP_WRITE : 0);
  for (size_t i = 0; i < bands_.size(); ++i) {
    encode(stage, i, source.buffer());
    Band& band = bands_[i];
    size_t next = 0;
    fetch(band, [&](size_t offset, size_t bytes, const std::vector<cl::Event>* after, cl::Event* done) {
      band.mapped[next++] = queues_.download.enqueueMapBuffer(blocks_, CL_FALSE, flags, offset, bytes, after, done);
    });
  }
  if (!own_memory_) blocks_host_ = static_cast<std::byte*>(bands_[0].mapped[0]);
}

// Uploads the rows of tiles in which the device's copy is out of date, of all planes; everything if that is much.
void FrameSlot::upload() {
  uploaded_bytes_ = 0;
  const auto write = [&](size_t begin, size_t end) {
    queues_.upload.enqueueWriteBuffer(source_, CL_FALSE, begin, end - begin, frame_.data() + begin, nullptr,
                                      &uploaded_[0]);
    if (uploaded_bytes_ == 0) first_uploaded_ = uploaded_[0];
    uploaded_bytes_ += end - begin;
  };
  const int columns = tiles_ == 0 ? 0 : comparison_->grid.columns, rows = tiles_ == 0 ? 0 : comparison_->grid.rows;
  const auto lacks = [&](int row) {
    const auto first = lacks_.begin() + static_cast<std::ptrdiff_t>(row) * columns;
    return std::find(first, first + columns, uint8_t{1}) != first + columns;
  };
  int lacking = 0;
  for (int row = 0; row < rows; ++row) lacking += lacks(row) ? 1 : 0;
  if (2 * lacking >= rows) {
    write(0, source_bytes_);
  } else {
    const FrameView view = frame_.view();
    for (int p = 0; lacking > 0 && p < plane_count(view.format.pixel_format); ++p) {
      const PlaneView& plane = view.planes[static_cast<size_t>(p)];
      const int plane_rows = ::texcast::plane_rows(view.format, p);
      const int tile_rows = plane_rows < view.format.height ? kTileHeight / 2 : kTileHeight;
      const size_t offset = static_cast<size_t>(plane.data - frame_.data());
      for (int row = 0; row < rows; ++row) {
        if (!lacks(row)) continue;
        const int first = row;
        while (row + 1 < rows && lacks(row + 1)) ++row;
        const auto at = [&](int y) {
          return offset + static_cast<size_t>(y) * static_cast<size_t>(plane.stride_bytes);
        };
        write(at(first * tile_rows), std::min(source_bytes_, at(std::min((row + 1) * tile_rows, plane_rows))));
      }
    }
  }
  std::fill(lacks_.begin(), lacks_.end(), uint8_t{0});
  queues_.upload.flush();
}

void FrameSlot::start_with_transfers(stages::Stage& stage, const Before& before) {
  upload();
  if (fetches_later_) find_changes(before);
  for (size_t i = 0; i < bands_.size(); ++i) {
    encode(stage, i, source_);
    // The first blocks are being downloaded before the comparison, which is only informative here, occupies the device.
    if (i == 0 && whole_ && before.slot != nullptr) find_changes(before);
    if (fetches_later_) continue;
    fetch(bands_[i], [&](size_t offset, size_t bytes, const std::vector<cl::Event>* after, cl::Event* done) {
      queues_.download.enqueueReadBuffer(blocks_, CL_FALSE, offset, bytes, blocks_host_ + offset, after, done);
      downloaded_bytes_ += bytes;
    });
  }
}

void FrameSlot::encode(stages::Stage& stage, size_t band, const cl::Buffer& source) {
  static const std::vector<cl::Event> kAtOnce;
  bands_[band].encoded[0] =
      bands_.size() == 1 ? stage.enqueue(queues_.compute, source, blocks_, uploaded_)
                         : stage.enqueue_band(band, queues_.compute, source, blocks_, band == 0 ? uploaded_ : kAtOnce);
  queues_.compute.flush();
}

// Computes the map of changed tiles, on the device and for the host.
void FrameSlot::find_changes(const Before& before) {
  if (!before.changed.empty()) {
    if (!whole_) queues_.compute.enqueueWriteBuffer(map_, CL_FALSE, 0, tiles_, changed_);
    return;
  }
  both_uploaded_[0] = uploaded_[0];
  both_uploaded_[1] = before.slot->uploaded_[0];
  compared_[0] = comparison_->stage.enqueue(queues_.compute, source(), before.slot->source(), map_, both_uploaded_);
  queues_.compute.flush();
  comparison_->maps.enqueueReadBuffer(map_, CL_FALSE, 0, tiles_, changed_, &compared_, &map_there_);
  comparison_->maps.flush();
  completion_.call_after(map_there_);
}

// Transfers the band's parts to the host once it is encoded: fetch(offset, bytes, list of events to wait for, event).
template <typename Fetch>
void FrameSlot::fetch(Band& band, Fetch&& fetch) {
  for (int i = 0; i < band.cut.part_count; ++i) {
    const auto [offset, bytes] = band.cut.parts[static_cast<size_t>(i)];
    fetch(offset, bytes, &band.encoded, &band.last_download);
    if (i == 0) band.first_download = band.last_download;
  }
  queues_.download.flush();
  completion_.call_after(band.last_download);
}

bool FrameSlot::look() {
  if (map_there_() != nullptr) {
    if (!is_over(map_there_)) return false;
    map_there_.wait();  // returns at once, but is required before the host may read the memory
  }
  if (fetches_later_ && !fetched_) fetch_changed();
  return true;
}

// Called once the map has arrived. Fetches the changed tiles' blocks as part of the last band, which is the last to be
// encoded.
void FrameSlot::fetch_changed() {
  fetched_ = true;
  Band& last = bands_.back();
  cover_tiles(changed(), comparison_->grid, rectangles_);
  bool first = true;
  const auto fetch_rows = [&](size_t offset, size_t row_bytes, size_t rows, size_t pitch) {
    const std::array<cl::size_type, 3> origin{offset % pitch, offset / pitch, 0}, region{row_bytes, rows, 1};
    if (rows == 1)
      comparison_->fetches.enqueueReadBuffer(blocks_, CL_FALSE, offset, row_bytes, blocks_host_ + offset, &last.encoded,
                                             &last.last_download);
    else
      comparison_->fetches.enqueueReadBufferRect(blocks_, CL_FALSE, origin, origin, region, pitch, 0, pitch, 0,
                                                 blocks_host_, &last.encoded, &last.last_download);
    if (std::exchange(first, false)) last.first_download = last.last_download;
    downloaded_bytes_ += rows * row_bytes;
  };
  for (const TileRectangle& r : rectangles_)
    for (size_t p = 0; p < static_cast<size_t>(comparison_->layout.plane_count); ++p) {
      const PlaneLayout& plane = comparison_->layout.planes[p];
      const TileBlocks tile = tile_blocks(format_row(comparison_->format).planes[p]);
      const auto block_bytes = static_cast<size_t>(plane.block_bytes);
      const size_t pitch = block_bytes * static_cast<size_t>(plane.blocks_x);
      const auto left = static_cast<size_t>(r.column * tile.across), top = static_cast<size_t>(r.row * tile.down);
      const auto right = static_cast<size_t>(std::min((r.column + r.columns) * tile.across, plane.blocks_x));
      const auto bottom = static_cast<size_t>(std::min((r.row + r.rows) * tile.down, plane.blocks_y));
      const size_t row_bytes = (right - left) * block_bytes, offset = plane.offset + top * pitch + left * block_bytes;
      const size_t rows = bottom - top;
      if (row_bytes == pitch) {
        fetch_rows(offset, rows * pitch, 1, rows * pitch);
        continue;
      }
      // With such a pitch planes begin anywhere in a row, and no rectangle may extend past the end of one.
      const size_t to_end = std::min(row_bytes, pitch - offset % pitch);
      fetch_rows(offset, to_end, rows, pitch);
      if (to_end < row_bytes) fetch_rows(offset + to_end, row_bytes - to_end, rows, pitch);
    }
  if (first) {  // nothing to fetch; the device is done with the slot once it has seen that there is nothing to encode
    last.first_download = cl::Event();
    last.last_download = last.encoded[0];
  }
  comparison_->fetches.flush();
  completion_.call_after(last.last_download);
  const auto changed_tiles = std::count_if(changed_, changed_ + tiles_, [](uint8_t tile) { return tile != 0; });
  int downloaded_tiles = 0;
  for (const TileRectangle& r : rectangles_) downloaded_tiles += r.columns * r.rows;
  if (downloaded_tiles == changed_tiles) return;
  lost_.assign(tiles_, 0);
  for (const TileRectangle& r : rectangles_)
    for (int row = r.row; row < r.row + r.rows; ++row)
      for (int column = r.column; column < r.column + r.columns; ++column) {
        const auto tile = static_cast<size_t>(row * comparison_->grid.columns + column);
        if (changed_[tile] == 0) lost_[tile] = 1;
      }
}

bool FrameSlot::finished() const {
  if (fetches_later_ && !fetched_) return false;
  return (map_there_() == nullptr || is_over(map_there_)) && is_over(bands_.back().last_download);
}

size_t FrameSlot::ready_bands() {
  if (!look()) return 0;
  if (fetches_later_) {
    if (finished()) ready_bands_ = bands_.size();
    return ready_bands_;
  }
  for (; ready_bands_ < bands_.size(); ++ready_bands_) {
    const cl::Event& there = bands_[ready_bands_].last_download;
    if (there.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE) break;
    there.wait();  // returns at once, but is required before the host may read the memory
  }
  return ready_bands_;
}

void FrameSlot::wait() {
  if (map_there_() != nullptr) map_there_.wait();
  look();
  if (fetches_later_)
    bands_.back().last_download.wait();
  else
    for (const Band& band : bands_) band.last_download.wait();
  ready_bands_ = bands_.size();
  // A later frame may still be compared with this one, which is not copied.
  if (!keep_ && (comparison_ == nullptr || !shared_)) let_go();
}

void FrameSlot::let_go() {
  if (shared_source_ != nullptr) std::exchange(shared_source_, nullptr)->to_host();
  frame_ = {};
}

void FrameSlot::recycle() {
  if (!shared_ || !std::exchange(mapped_, false)) return;
  for (const Band& band : bands_)  // before the next kernel writes there
    for (int i = 0; i < band.cut.part_count; ++i)
      queues_.compute.enqueueUnmapMemObject(blocks_pinned_, band.mapped[static_cast<size_t>(i)]);
}

StageTimes FrameSlot::stage_times() const {
  StageTimes spent{.stage_in = stage_in, .uploaded_bytes = uploaded_bytes_, .downloaded_bytes = downloaded_bytes_};
  if (shared_)
    spent.upload = ocl::duration(uploaded_[0]);
  else if (uploaded_bytes_ > 0)  // else the event belongs to an older frame
    spent.upload = ocl::duration(first_uploaded_, uploaded_[0]);
  if (compared_[0]() != nullptr) spent.compare = ocl::duration(compared_[0]);
  for (const Band& band : bands_) {
    spent.kernel += ocl::duration(band.encoded[0]);
    if (!fetches_later_) spent.download += ocl::duration(band.first_download, band.last_download);
  }
  if (fetches_later_ && downloaded_bytes_ > 0)
    spent.download = ocl::duration(bands_.back().first_download, bands_.back().last_download);
  return spent;
}

}  // namespace texcast
