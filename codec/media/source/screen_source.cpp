#include "screen_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "media/ffmpeg.h"
#include "media/scaler.h"
#include "screen/open_capture.h"
#include "screen_pace.h"
#include "texcast/error.h"
#include "texcast/tiles.h"

namespace texcast::media {
namespace {

using screen::ScreenUpdate;

constexpr double kScreenFps = 60;

// Sets the bytes of the tiles that `rect` touches to 1.
void mark(std::vector<uint8_t>& tiles, const TileRaster& raster, const screen::Rect& rect) {
  if (rect.width <= 0 || rect.height <= 0) return;
  const int left = rect.x / kTileWidth, right = (rect.x + rect.width - 1) / kTileWidth;
  for (int row = rect.y / kTileHeight; row <= (rect.y + rect.height - 1) / kTileHeight; ++row)
    std::fill(tiles.begin() + row * raster.columns + left, tiles.begin() + row * raster.columns + right + 1,
              uint8_t{1});
}

void add_to(std::vector<uint8_t>& tiles, const std::vector<uint8_t>& more) {
  for (size_t t = 0; t < tiles.size(); ++t) tiles[t] |= more[t];
}

// A frame of an encoder's pool, which holds an older picture.
struct Kept {
  FrameLease lease;
  std::vector<uint8_t> lacks;  // one byte per tile that is out of date
};

class ScreenSource final : public FrameSource {
 public:
  ScreenSource(std::unique_ptr<screen::ScreenCapture> capture, const SourceSettings& settings);
  std::optional<SourceFrame> next() override;
  FrameFormat format() const override { return format_; }
  double fps() const override { return fps_; }
  bool is_live() const override { return true; }
  bool is_image() const override { return false; }
  std::optional<int64_t> frame_count() const override { return std::nullopt; }
  int64_t damaged_frames() const override { return 0; }
  void decode_into(std::shared_ptr<FramePool> pool) override;
  void skipped() override { add_to(changed_, given_); }
  void want_frame() override {
    wanted_ = true;
    capture_->wake();
  }
  void on_cursor(const std::function<void(const Cursor&, WallTime)>& call) override { on_cursor_ = call; }

 private:
  ScreenUpdate wait_for_change();
  void take(const ScreenUpdate& update);
  void begin_anew(const FrameFormat& format);
  void look_at_damage(const FrameView& picture);
  FrameView give(const FrameView& picture);
  FrameView fitted(const FrameView& picture);
  Kept* free_frame();
  FrameFormat as_shown(FrameFormat format) const;

  std::unique_ptr<screen::ScreenCapture> capture_;
  const double fps_;
  const std::optional<PixelAspect> shape_;
  const bool follows_changes_;
  FrameFormat format_{};
  TileRaster raster_{};
  // One byte per tile. damaged_: drawn over since the frame that was returned last. changed_: different from the frame
  // that was submitted last, including changes in skipped frames.
  std::vector<uint8_t> damaged_, changed_;
  std::vector<uint8_t> given_;  // what was returned with the last frame
  bool is_known_ = false;       // whether changed_ is known
  std::shared_ptr<FramePool> pool_;
  std::vector<Kept> kept_;
  bool last_is_kept_ = false;  // the frame that was returned last is the last of kept_
  std::unique_ptr<FrameConverter> converter_;
  FramePtr wrapped_;

  Cursor cursor_{};  // passed to on_cursor_ last
  std::function<void(const Cursor&, WallTime)> on_cursor_;

  std::optional<SteadyTime> begun_{};  // none: no frame was returned
  ScreenPace pace_;
  std::atomic<bool> wanted_ = false;  // set by want_frame()
  bool is_pending_ = false;           // a change that no frame has shown
  WallTime captured_{};               // of the first such change
  SteadyTime updated_{};              // when the capture reported the latest one
  nanoseconds last_pts_{};
};

ScreenSource::ScreenSource(std::unique_ptr<screen::ScreenCapture> capture, const SourceSettings& settings)
    : capture_(std::move(capture)),
      fps_(settings.fps.value_or(kScreenFps)),
      shape_(settings.picture.aspect),
      follows_changes_(settings.follows_changes),
      pace_(fps_) {
  begin_anew(as_shown(capture_->format()));
}

FrameFormat ScreenSource::as_shown(FrameFormat format) const {
  if (shape_)
    format.aspect =
        aspect_for_shape(*shape_, format.width, format.height, Orientation::upright).value_or(PixelAspect{});
  return format;
}

void ScreenSource::begin_anew(const FrameFormat& format) {
  format_ = format;
  raster_ = tile_raster(format.width, format.height);
  damaged_.assign(raster_.count(), 1);
  changed_.assign(raster_.count(), 1);
  given_.assign(raster_.count(), 1);
  is_known_ = false;
  kept_.clear();
  last_is_kept_ = false;
  pool_.reset();
}

void ScreenSource::decode_into(std::shared_ptr<FramePool> pool) {
  if (!pool || pool->format() != format_) return;
  kept_.clear();
  last_is_kept_ = false;
  pool_ = std::move(pool);
}

void ScreenSource::take(const ScreenUpdate& update) {
  const FrameFormat format = as_shown(update.picture.format);
  if (update.resized && follows_changes_ && format != format_) {
    log_info("the size of {} is {}x{} now", capture_->name(), format.width, format.height);
    begin_anew(format);
  } else if (update.resized && format != format_) {
    log_warning("the size of {} is {}x{} now; it is fitted into {}x{} from here on", capture_->name(), format.width,
                format.height, format_.width, format_.height);
  }
  if (update.damage.empty() && !update.resized) return;
  if (!std::exchange(is_pending_, true)) captured_ = update.captured;
  updated_ = steady_now();
  if (format != format_) {
    is_known_ = last_is_kept_ = false;
    kept_.clear();
    return;
  }
  for (const screen::Rect& rect : update.damage) mark(damaged_, raster_, rect);
}

// Programs redraw what is there already, and compositors the whole screen: a tile that is as in the frame that was
// returned last has not changed. The comparison costs as much as reading it, and ends at the first row that differs.
void ScreenSource::look_at_damage(const FrameView& picture) {
  const FrameView before = last_is_kept_ ? kept_.back().lease.view() : FrameView{};
  const PlaneView &is = picture.planes[0], &was = before.planes[0];
  for (int row = 0, t = 0; row < raster_.rows; ++row)
    for (int column = 0; column < raster_.columns; ++column, ++t) {
      uint8_t& damaged = damaged_[static_cast<size_t>(t)];
      if (damaged == 0 || !last_is_kept_) continue;
      const int left = column * kTileWidth * 4;
      const auto bytes = static_cast<size_t>(std::min(kTileWidth * 4, format_.width * 4 - left));
      int y = row * kTileHeight;
      const int end = std::min(y + kTileHeight, format_.height);
      while (y < end &&
             std::memcmp(is.data + y * is.stride_bytes + left, was.data + y * was.stride_bytes + left, bytes) == 0)
        ++y;
      damaged = y < end ? 1 : 0;
    }
  add_to(changed_, damaged_);
  for (Kept& kept : kept_) add_to(kept.lacks, damaged_);
  std::fill(damaged_.begin(), damaged_.end(), uint8_t{0});
}

// Waits until a frame is due: for a change, for a repetition, or to show that the stream is alive.
ScreenUpdate ScreenSource::wait_for_change() {
  const SteadyTime earliest = pace_.earliest();
  const SteadyTime latest = begun_ ? pace_.latest() : steady_now();
  for (;;) {
    ScreenUpdate update = capture_->wait(is_pending_ || wanted_ ? std::min(earliest, latest) : latest);
    take(update);
    if (on_cursor_ && !(update.cursor == cursor_)) on_cursor_(cursor_ = update.cursor, wall_now());
    const SteadyTime now = steady_now();
    if (!begun_ || now >= latest || ((is_pending_ || wanted_) && now >= earliest)) {
      wanted_ = false;
      return update;
    }
  }
}

// The frame that is least out of date among those that the encoder does not read any more.
Kept* ScreenSource::free_frame() {
  for (size_t i = kept_.size(); i-- > 0;)
    if (kept_[i].lease.shares() == 1) {
      std::rotate(kept_.begin() + static_cast<ptrdiff_t>(i), kept_.begin() + static_cast<ptrdiff_t>(i) + 1,
                  kept_.end());
      return &kept_.back();
    }
  FrameLease lease = pool_ ? pool_->lend() : FrameLease();
  if (!lease) return nullptr;
  kept_.push_back({std::move(lease), std::vector<uint8_t>(raster_.count(), 1)});
  return &kept_.back();
}

// Copies the parts of the capture's picture that are out of date into a frame of the pool.
FrameView ScreenSource::give(const FrameView& picture) {
  Kept* const kept = pool_ ? free_frame() : nullptr;
  last_is_kept_ = kept != nullptr;
  if (kept == nullptr) {
    FrameView view = picture;
    view.format = format_;
    return view;
  }
  const PlaneView& from = picture.planes[0];
  std::byte* const to = kept->lease.plane(0);
  const auto stride = static_cast<size_t>(pool_->placement().stride[0]);
  for (int row = 0; row < raster_.rows; ++row)
    for (int column = 0; column < raster_.columns;) {
      uint8_t* const lacks = kept->lacks.data() + row * raster_.columns;
      if (lacks[column] == 0) {
        ++column;
        continue;
      }
      const int first = column;
      while (column < raster_.columns && lacks[column] != 0) lacks[column++] = 0;
      const size_t left = static_cast<size_t>(first) * kTileWidth * 4;
      const size_t bytes = static_cast<size_t>(std::min(column * kTileWidth, format_.width)) * 4 - left;
      for (int y = row * kTileHeight; y < std::min((row + 1) * kTileHeight, format_.height); ++y)
        std::memcpy(to + static_cast<size_t>(y) * stride + left, from.data + y * from.stride_bytes + left, bytes);
    }
  return kept->lease.view();
}

// Fits a picture of another size than the first.
FrameView ScreenSource::fitted(const FrameView& picture) {
  if (!converter_) converter_ = std::make_unique<FrameConverter>(format_);
  if (!wrapped_) wrapped_ = make_frame();
  AVFrame& frame = *wrapped_;
  frame.format = AV_PIX_FMT_BGR0;
  frame.width = picture.format.width;
  frame.height = picture.format.height;
  frame.color_range = AVCOL_RANGE_JPEG;
  // swscale's interface is not const.
  frame.data[0] = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(picture.planes[0].data));
  frame.linesize[0] = static_cast<int>(picture.planes[0].stride_bytes);
  return view_of(converter_->convert(frame), format_);
}

std::optional<SourceFrame> ScreenSource::next() {
  const ScreenUpdate update = wait_for_change();
  const SteadyTime now = steady_now();
  const bool fits = as_shown(update.picture.format) == format_;
  if (fits) look_at_damage(update.picture);
  SourceFrame frame{.view = fits ? give(update.picture) : fitted(update.picture), .times = {}};
  std::swap(given_, changed_);
  std::fill(changed_.begin(), changed_.end(), uint8_t{0});
  if (std::exchange(is_known_, fits) && fits) frame.view.changed = given_;
  pace_.returned(now, is_pending_ ? std::optional(updated_) : !begun_ ? std::optional(now) : std::nullopt);
  frame.times.pts = begun_ ? std::max(now - *begun_, last_pts_ + nanoseconds(1)) : nanoseconds(0);
  frame.times.available = std::exchange(is_pending_, false) ? captured_ : wall_now();
  frame.place = frame.times.pts;
  if (!begun_) begun_ = now;
  last_pts_ = frame.times.pts;
  return frame;
}

}  // namespace

std::unique_ptr<FrameSource> make_screen_source(std::unique_ptr<screen::ScreenCapture> capture,
                                                const SourceSettings& settings) {
  return std::make_unique<ScreenSource>(std::move(capture), settings);
}

std::unique_ptr<FrameSource> open_screen_source(const screen::CaptureTarget& target, const SourceSettings& settings) {
  screen::CaptureTarget part = target;
  if (settings.width && settings.height) {
    if (target.kind != screen::CaptureTarget::Kind::desktop)
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' has a size of its own; leave out the width and height", settings.input));
    part = {.kind = screen::CaptureTarget::Kind::region, .region = {0, 0, *settings.width, *settings.height}};
  }
  return make_screen_source(
      screen::open_capture({.target = part, .cursor = settings.cursor, .most_fps = settings.fps.value_or(kScreenFps)},
                           settings.stop),
      settings);
}

}  // namespace texcast::media
