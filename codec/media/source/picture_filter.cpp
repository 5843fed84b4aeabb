#include "picture_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include "texcast/error.h"

namespace texcast::media {
namespace {

// libavfilter's filters, by EXIF's number. Its transpose can also mirror ("_flip").
constexpr std::array<const char*, 8> kTurns = {"null",
                                               "hflip",
                                               "hflip,vflip",
                                               "vflip",
                                               "transpose=cclock_flip",
                                               "transpose=clock",
                                               "transpose=clock_flip",
                                               "transpose=cclock"};

// Nominal, in the time base; 0 if it is not known.
int64_t frame_ticks(const FilterTime& time) {
  return time.frame_rate.num > 0 ? av_rescale_q(1, av_inv_q(time.frame_rate), time.time_base) : 0;
}

// bwdif reads rows and columns around a texel.
constexpr int kLeastInterlaced = 4;

std::string description_of(const PictureChange& change, const AVFrame& frame, const std::string& user) {
  std::string text = kTurns[static_cast<size_t>(change.orientation) - 1];
  if (!user.empty()) text += "," + user;
  if (change.fields == PictureChange::Fields::keep || frame.width < kLeastInterlaced || frame.height < kLeastInterlaced)
    return text;
  const char* which = change.fields == PictureChange::Fields::all ? "all" : "interlaced";
  return fmt::format("bwdif=mode=send_frame:parity=auto:deint={},{}", which, text);
}

// Ends of a graph that is being parsed.
struct FilterEnd {
  AVFilterInOut* end;
  explicit FilterEnd(const char* name, AVFilterContext* filter) : end(avfilter_inout_alloc()) {
    if (!end) throw std::bad_alloc();
    end->name = av_strdup(name);
    end->filter_ctx = filter;
    end->pad_idx = 0;
    end->next = nullptr;
  }
  FilterEnd(const FilterEnd&) = delete;
  FilterEnd& operator=(const FilterEnd&) = delete;
  ~FilterEnd() { avfilter_inout_free(&end); }
};

}  // namespace

void PictureFilter::fail(const AVFrame& frame, int code) const {
  const std::string frames = fmt::format("frames of {}x{} {}", frame.width, frame.height,
                                         av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format)));
  if (has_user_filters()) {
    const std::string said = take_first_av_line();
    throw Error(ErrorKind::usage,
                fmt::format("--vf '{}' cannot be applied to {}: {}; `ffmpeg -filters` lists the filters", user_, frames,
                            said.empty() ? av_error_text(code) : said));
  }
  throw Error(ErrorKind::input, fmt::format("{} cannot be rotated or deinterlaced: {}; --rotate 0 --deinterlace off "
                                            "leaves them unchanged",
                                            frames, av_reason(code)));
}

bool PictureFilter::fits(const AVFrame& frame, const PictureChange& change) const {
  return graph_ && change == change_ && frame.format == format_ && frame.width == width_ && frame.height == height_;
}

void PictureFilter::build(const AVFrame& frame, const PictureChange& change, const FilterTime& time) {
  take_last_av_line();
  FilterGraphPtr graph(avfilter_graph_alloc());
  if (!graph) throw std::bad_alloc();
  // Conversions (rotating 4:2:2 by 90 degrees needs 4:4:4) are as exact as elsewhere in texcast.
  av_opt_set(graph.get(), "scale_sws_opts", "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp", 0);
  source_ = avfilter_graph_alloc_filter(graph.get(), avfilter_get_by_name("buffer"), "in");
  AVBufferSrcParameters* parameters = av_buffersrc_parameters_alloc();
  if (!source_ || !parameters) throw std::bad_alloc();
  parameters->format = frame.format;
  parameters->width = frame.width;
  parameters->height = frame.height;
  parameters->time_base = has_user_filters() ? time.time_base : AVRational{1, 1000};
  if (time.frame_rate.num > 0) parameters->frame_rate = time.frame_rate;
  parameters->sample_aspect_ratio = frame.sample_aspect_ratio;
  int code = av_buffersrc_parameters_set(source_, parameters);
  av_free(parameters);
  if (code >= 0) code = avfilter_init_str(source_, nullptr);
  if (code >= 0)
    code =
        avfilter_graph_create_filter(&sink_, avfilter_get_by_name("buffersink"), "out", nullptr, nullptr, graph.get());
  if (code < 0) fail(frame, code);
  FilterEnd outputs("in", source_), inputs("out", sink_);  // the names are the parser's, seen from the other side
  code = avfilter_graph_parse_ptr(graph.get(), description_of(change, frame, user_).c_str(), &inputs.end, &outputs.end,
                                  nullptr);
  if (code >= 0) code = avfilter_graph_config(graph.get(), nullptr);
  if (code < 0) fail(frame, code);
  graph_ = std::move(graph);
  frame_rate_ = av_buffersink_get_frame_rate(sink_);
  change_ = change;
  format_ = frame.format;
  width_ = frame.width;
  height_ = frame.height;
}

void PictureFilter::put(AVFrame& frame, const PictureChange& change, const FilterTime& time) {
  if (!fits(frame, change)) {
    end();
    if (change == PictureChange{} && !has_user_filters()) {
      ready_.push_back(make_frame());
      av_frame_move_ref(ready_.back().get(), &frame);
      return;
    }
    build(frame, change, time);
  }
  // Our own filters only use the order of frames. The time is in `best_effort_timestamp`, which they pass through.
  ++frames_;
  frame.pts = has_user_filters() ? frame.best_effort_timestamp : frames_;
  if (has_user_filters()) end_ = frame.pts + std::max(frame.pkt_duration, frame_ticks(time));
  if (const int code = av_buffersrc_add_frame_flags(source_, &frame, 0); code < 0) {
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    fail(frame, code);
  }
  collect();
}

void PictureFilter::collect() {
  for (FramePtr out = make_frame(); av_buffersink_get_frame(sink_, out.get()) >= 0; out = make_frame()) {
    if (has_user_filters() && out->pts != AV_NOPTS_VALUE)
      out->best_effort_timestamp = av_rescale_q(out->pts, av_buffersink_get_time_base(sink_), kNanoseconds);
    ready_.push_back(std::move(out));
  }
}

bool PictureFilter::take(AVFrame& frame) {
  if (ready_.empty()) return false;
  av_frame_move_ref(&frame, ready_.front().get());
  ready_.pop_front();
  return true;
}

void PictureFilter::end() {
  if (!graph_) return;
  const int code =
      has_user_filters() ? av_buffersrc_close(source_, end_, 0) : av_buffersrc_add_frame_flags(source_, nullptr, 0);
  if (code >= 0) collect();
  graph_.reset();
}

void PictureFilter::reset() {
  graph_.reset();
  ready_.clear();
}

}  // namespace texcast::media
