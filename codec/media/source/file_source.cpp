#include "file_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "media/ffmpeg.h"
#include "media/pixel_formats.h"
#include "media/scaler.h"
#include "picture_input.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr double kFallbackFps = 25;  // FFmpeg's default if there is no rate

// Some codecs of sound need earlier packets.
constexpr nanoseconds kSoundBeforePicture = std::chrono::milliseconds(500);
constexpr int64_t kAlphaInterval = 25;  // frames; a frame of 1920x1080 takes some milliseconds

nanoseconds period_of(double fps) { return nanoseconds(static_cast<int64_t>(1e9 / fps)); }

bool is_hdr(AVColorTransferCharacteristic transfer) {
  return transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67;
}

std::string text_of(PixelAspect aspect) {
  return aspect.is_square() ? "" : fmt::format(" (pixels {}:{})", aspect.num, aspect.den);
}

// A decoded frame with its time in the source's output.
struct Timed {
  FramePtr frame = make_frame();
  nanoseconds pts{};
  nanoseconds place{};  // in the input, from its first frame
  WallTime available{};
};

class FileSource final : public FrameSource {
 public:
  explicit FileSource(const SourceSettings& settings);
  std::optional<SourceFrame> next() override;
  FrameFormat format() const override { return format_; }
  double fps() const override;
  bool is_live() const override { return input().spec().is_live; }
  bool is_image() const override { return is_image_; }
  bool drops_transparency() const override { return drops_transparency_; }
  std::optional<int64_t> frame_count() const override;
  std::optional<nanoseconds> length() const override;
  int64_t damaged_frames() const override { return input().damage().frames(); }
  std::string first_damage() const override { return input().damage().first(); }
  std::optional<nanoseconds> begin() const override {
    return is_image_ ? std::nullopt : std::optional(input().start_time() + begin_);
  }
  std::shared_ptr<SoundQueue> sound() const override { return input().sound(); }
  void stop_waiting() override { pictures_.input().stop_waiting(); }
  void decode_into(std::shared_ptr<FramePool> pool) override;
  bool seek(nanoseconds place) override;

 private:
  const DemuxedInput& input() const { return pictures_.input(); }
  void read_first();
  bool read_frame(Timed& into);
  bool rewind();
  void begin_pass();
  nanoseconds time_in_output(const AVFrame& frame);
  std::optional<SourceFrame> next_of_image();
  std::optional<SourceFrame> next_at_rate();
  SourceFrame give_out(const Timed& timed, nanoseconds pts);
  FrameFormat choose_format(const AVFrame& first) const;
  bool is_direct(AVPixelFormat format) const;
  FrameView in_our_format(const AVFrame& frame);
  bool is_being_read(const AVFrame& frame) const;
  void release(AVFrame& frame);

  SourceSettings settings_;
  PictureInput pictures_;
  bool is_image_;
  nanoseconds period_;
  FrameFormat format_;
  AVPixelFormat first_format_ = AV_PIX_FMT_NONE;
  ColorRange first_range_ = ColorRange::limited;
  std::optional<RateKeeper> rate_;
  std::unique_ptr<FrameConverter> converter_;
  bool warned_of_change_ = false;
  bool drops_transparency_ = false;

  std::shared_ptr<FramePool> pool_;  // of the encoder; null: none
  FrameLease converted_;             // the frame that was returned last, if swscale converted it into the pool
  std::vector<FramePtr> kept_;       // returned, and still being read by the encoder
  Timed current_;
  Timed ahead_;  // read but not returned yet: the first frame; at a steady rate always the next one
  bool has_current_ = false;
  bool has_ahead_ = false;
  int64_t given_out_ = 0;

  // A pass reads the input once; a loop has many. This one starts at pass_start_ in the output and at pass_origin_ in
  // the input.
  bool pass_begun_ = false;
  nanoseconds pass_start_{};
  nanoseconds pass_origin_{};
  nanoseconds last_pts_{};
  nanoseconds wanted_{};  // frames before this place in the input are not returned
  nanoseconds begin_{};   // of the first frame, from the start of the stream
};

FileSource::FileSource(const SourceSettings& settings)
    : settings_(settings),
      pictures_(parse_input(settings), settings.picture, settings.filters),
      is_image_(input().is_image()),
      wanted_(settings.start) {
  if (settings_.fps && !input().spec().is_device && !is_image_) rate_.emplace(*settings_.fps);
  const double rate = is_image_ && settings_.fps ? *settings_.fps : input().fps();
  period_ = period_of(rate > 0 ? rate : kFallbackFps);
  if (settings_.start > nanoseconds(0) && !is_image_ && !pictures_.seek(settings_.start))
    log_warning("{}: cannot seek; reading from its start up to the requested time", settings_.input);
  read_first();
}

void FileSource::read_first() {
  const bool found = read_frame(ahead_);
  begin_ = pass_origin_;
  if (!found) {
    const std::string& damage = input().damage().last();
    if (settings_.start > nanoseconds(0) && input().damage().frames() == 0)
      throw Error(ErrorKind::input, fmt::format("'{}' has no frame at or after {:.3f} s", settings_.input,
                                                static_cast<double>(settings_.start.count()) * 1e-9));
    throw Error(ErrorKind::input, fmt::format("no frame of '{}' can be decoded{}{}", settings_.input,
                                              damage.empty() ? "" : ": " + damage, input().hint()));
  }
  has_ahead_ = true;
  const AVFrame& frame = *ahead_.frame;
  if (frame.width > kMaxFrameSize || frame.height > kMaxFrameSize)
    throw Error(ErrorKind::input, fmt::format("'{}' is {}x{}: sides up to {} are supported; scale it down first",
                                              settings_.input, frame.width, frame.height, kMaxFrameSize));
  first_format_ = static_cast<AVPixelFormat>(frame.format);
  first_range_ = color_of(frame).range;
  format_ = choose_format(frame);
  if (!is_known_matrix(frame.colorspace))
    log_warning("{}: its colour matrix {} is not supported; using BT.709", settings_.input,
                av_color_space_name(frame.colorspace));
  if (is_hdr(frame.color_trc) && format_.pixel_format != PixelFormat::rgba_half)
    log_warning("{}: HDR ({}): values are passed on as coded, and look flat without tone mapping to the screen's",
                settings_.input, av_color_transfer_name(frame.color_trc));
  if (!is_direct(first_format_) && format_.pixel_format != PixelFormat::rgba_half) {
    log_warning("{}: swscale converts pixel format {} to {}", settings_.input, av_get_pix_fmt_name(first_format_),
                name(format_.pixel_format));
  }
}

FrameFormat FileSource::choose_format(const AVFrame& first) const {
  const auto av = static_cast<AVPixelFormat>(first.format);
  FrameFormat format{
      .pixel_format = nearest_format(av), .width = first.width, .height = first.height, .color = color_of(first)};
  const bool wants_alpha = settings_.alpha && carries_alpha(av);
  if (!wants_alpha && FrameConverter::makes_half(av, first.color_trc, settings_.half)) {
    format.pixel_format = PixelFormat::rgba_half;
    // A file of floats without primaries has those of BT.709, as OpenEXR defines.
    const uint8_t primaries = format.color.primaries;
    format.color = {.range = ColorRange::full,
                    .primaries = primaries == AVCOL_PRI_UNSPECIFIED ? uint8_t{AVCOL_PRI_BT709} : primaries,
                    .transfer = kLinearTransfer};
  }
  if (wants_alpha && !has_alpha(format)) {
    format.pixel_format = PixelFormat::rgba;
    format.color.matrix = ColorMatrix::bt709;  // as all RGB has
    format.color.range = ColorRange::full;
  }
  format.opaque = has_alpha(format) && !carries_alpha(av);
  format.aspect = aspect_of(first);
  return format;
}

// Whether frames of the format can be returned in place, without swscale.
bool FileSource::is_direct(AVPixelFormat format) const {
  return direct_format(format) == format_.pixel_format && (!has_alpha(format_) || carries_alpha(format));
}

// Reads the next frame with its time in the output; starts over at the end if that was requested. False at the end.
bool FileSource::read_frame(Timed& into) {
  bool rewound = false;
  for (;;) {
    release(*into.frame);
    if (!pictures_.next(*into.frame)) {
      // After a whole pass without a single frame, another one would find none either.
      if (rewound || !settings_.loop || is_live() || !pass_begun_ || !rewind()) return false;
      rewound = true;
      continue;
    }
    into.available = wall_now();
    // Filters may have changed it, which is known with their first frame.
    if (given_out_ == 0 && !is_image_ && pictures_.fps() > 0) period_ = period_of(pictures_.fps());
    const auto time = pictures_.time_of(*into.frame);
    if (!is_image_ && time && *time + period_ / 2 < wanted_) {  // the seek went to a key frame before that
      pictures_.input().forget_sound_before(*time - kSoundBeforePicture);
      continue;
    }
    wanted_ = settings_.start;
    into.pts = time_in_output(*into.frame);
    into.place = given_out_ == 0 && !has_ahead_ ? nanoseconds{} : pass_origin_ - begin_ + (into.pts - pass_start_);
    return true;
  }
}

nanoseconds FileSource::time_in_output(const AVFrame& frame) {
  const nanoseconds time = pictures_.time_of(frame).value_or(pass_origin_ + (last_pts_ - pass_start_) + period_);
  if (!pass_begun_) {
    pass_begun_ = true;
    pass_origin_ = pictures_.time_of(frame).value_or(nanoseconds(0));
    return last_pts_ = pass_start_;
  }
  nanoseconds pts = pass_start_ + (time - pass_origin_);
  if (pts <= last_pts_) {  // the input's time stamps went back or stood still: the output's continue to increase
    pts = last_pts_ + period_;
    pass_start_ = pts;
    pass_origin_ = time;
  }
  return last_pts_ = pts;
}

bool FileSource::rewind() {
  if (!pictures_.seek(settings_.start)) pictures_.reopen();
  wanted_ = settings_.start;
  begin_pass();
  return true;
}

void FileSource::begin_pass() {
  pass_begun_ = false;
  pass_start_ = last_pts_ + period_;
}

// The frame that was read ahead is dropped. At a steady rate the frame that is due is kept, as the numbers go on.
bool FileSource::seek(nanoseconds place) {
  if (is_live() || is_image_ || !pictures_.seek(begin_ + place)) return false;
  wanted_ = begin_ + place;
  begin_pass();
  if (has_ahead_) release(*ahead_.frame);
  has_ahead_ = false;
  if (!rate_) return true;
  has_ahead_ = read_frame(ahead_);
  has_current_ = false;
  return true;
}

void FileSource::decode_into(std::shared_ptr<FramePool> pool) {
  if (!pool || pool->format() != format_) return;
  pool_ = pool;
  // The output of filters is in their own memory: the encoder does not read the decoder's.
  if (!pictures_.changes_frames()) pictures_.input().decode_into(std::move(pool));
}

// Two shares are the decoder's and the one taken here. If there are more, the encoder reads the frame.
bool FileSource::is_being_read(const AVFrame& frame) const {
  if (!pool_ || !frame.buf[0]) return false;
  const FrameLease lease = pool_->share(view_of(frame, format_));
  return lease && lease.shares() > 2;
}

// Ends our reference to the frame. Some decoders write into their last frame again once nobody else refers to it, so
// the reference is kept as long as the encoder reads the frame.
void FileSource::release(AVFrame& frame) {
  for (const FramePtr& kept : kept_)
    if (kept->buf[0] && !is_being_read(*kept)) av_frame_unref(kept.get());
  if (!is_being_read(frame)) return av_frame_unref(&frame);
  auto place = std::find_if(kept_.begin(), kept_.end(), [](const FramePtr& kept) { return !kept->buf[0]; });
  if (place == kept_.end()) place = kept_.insert(kept_.end(), make_frame());
  av_frame_move_ref(place->get(), &frame);
}

FrameView FileSource::in_our_format(const AVFrame& frame) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const bool same = frame.width == format_.width && frame.height == format_.height &&
                    aspect_of(frame) == format_.aspect && color_of(frame).range == first_range_;
  if (same && is_direct(format)) return view_of(frame, format_);
  if ((!same || format != first_format_) && !std::exchange(warned_of_change_, true))
    log_warning("{}: the frame format changed to {}x{} {}{}; frames are fitted into {}x{} {}{} from here on",
                settings_.input, frame.width, frame.height, av_get_pix_fmt_name(format), text_of(aspect_of(frame)),
                format_.width, format_.height, name(format_.pixel_format), text_of(format_.aspect));
  if (!converter_) converter_ = std::make_unique<FrameConverter>(format_);
  converted_ = pool_ ? pool_->lend() : FrameLease();
  if (!converted_) return view_of(converter_->convert(frame), format_);
  converter_->convert_into(frame, converted_);
  return converted_.view();
}

SourceFrame FileSource::give_out(const Timed& timed, nanoseconds pts) {
  if (!settings_.alpha && !drops_transparency_ && given_out_ % kAlphaInterval == 0)
    drops_transparency_ = has_transparency(*timed.frame);
  ++given_out_;
  return {.view = in_our_format(*timed.frame),
          .times = {.pts = pts, .available = timed.available},
          .place = timed.place + (pts - timed.pts)};
}

std::optional<SourceFrame> FileSource::next() {
  if (is_image_) return next_of_image();
  if (rate_) return next_at_rate();
  if (has_ahead_) {
    std::swap(current_, ahead_);
    has_ahead_ = false;
  } else if (!read_frame(current_)) {
    return std::nullopt;
  }
  return give_out(current_, current_.pts);
}

std::optional<SourceFrame> FileSource::next_of_image() {
  if (given_out_ > 0 && !settings_.loop) return std::nullopt;
  ahead_.available = wall_now();
  return give_out(ahead_, given_out_ * period_);
}

std::optional<SourceFrame> FileSource::next_at_rate() {
  for (;;) {
    if (!has_current_) {
      if (!has_ahead_) return std::nullopt;
      std::swap(current_, ahead_);
      has_current_ = true;
      has_ahead_ = read_frame(ahead_);
    }
    if (rate_->due_before(has_ahead_ ? ahead_.pts : current_.pts + period_)) {
      current_.available = wall_now();  // it was decoded ahead: the wait until it is due is not latency
      return give_out(current_, rate_->take());
    }
    has_current_ = false;
  }
}

double FileSource::fps() const {
  if (is_image_) return settings_.loop ? 1e9 / static_cast<double>(period_.count()) : 0;
  return rate_ ? *settings_.fps : pictures_.fps();
}

std::optional<int64_t> FileSource::frame_count() const {
  if (settings_.loop || rate_ || settings_.start > nanoseconds(0))
    return is_image_ && !settings_.loop ? std::optional<int64_t>(1) : std::nullopt;
  return pictures_.frame_count();
}

std::optional<nanoseconds> FileSource::length() const {
  if (settings_.loop || is_image_) return std::nullopt;
  const auto whole = input().length();
  return whole ? std::optional(std::max(*whole - begin_, nanoseconds{})) : std::nullopt;
}

}  // namespace

std::unique_ptr<FrameSource> open_file_source(const SourceSettings& settings) {
  set_up_ffmpeg();
  return std::make_unique<FileSource>(settings);
}

}  // namespace texcast::media
