#include "media/audio_tempo.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/ensure.h"
#include "media/ffmpeg.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

void need_filter(int code, const char* what) {
  if (code < 0)
    throw Error(ErrorKind::failed, fmt::format("the filter for playback speed failed: {}: {}", what, av_reason(code)));
}

// atempo's minimum is half speed, and above twice the speed it skips samples. Beyond these limits a second one does the
// rest.
std::string tempo_filters(double speed) {
  if (speed >= 0.5 && speed <= 2) return fmt::format("atempo={}", speed);
  return fmt::format("atempo={0},atempo={1}", speed < 1 ? 0.5 : 2.0, speed < 1 ? speed * 2 : speed / 2);
}

}  // namespace

class AudioTempo::Graph {
 public:
  Graph(AudioFormat format, double speed) : format_(format), graph_(avfilter_graph_alloc()) {
    ENSURE(graph_ != nullptr);
    graph_->nb_threads = 1;
    av_channel_layout_default(&layout_, format.channels);
    char layout[64] = {};
    av_channel_layout_describe(&layout_, layout, sizeof layout);
    const std::string in =
        fmt::format("sample_rate={0}:sample_fmt=flt:channel_layout={1}:time_base=1/{0}", format.rate, layout);
    need_filter(avfilter_graph_create_filter(&source_, avfilter_get_by_name("abuffer"), "in", in.c_str(), nullptr,
                                             graph_.get()),
                "input");
    need_filter(avfilter_graph_create_filter(&sink_, avfilter_get_by_name("abuffersink"), "out", nullptr, nullptr,
                                             graph_.get()),
                "output");
    AVFilterInOut* from = avfilter_inout_alloc();
    AVFilterInOut* to = avfilter_inout_alloc();
    ENSURE(from != nullptr && to != nullptr);
    *from = {av_strdup("in"), source_, 0, nullptr};
    *to = {av_strdup("out"), sink_, 0, nullptr};
    const int code = avfilter_graph_parse_ptr(graph_.get(), tempo_filters(speed).c_str(), &to, &from, nullptr);
    avfilter_inout_free(&from);
    avfilter_inout_free(&to);
    need_filter(code, "atempo");
    need_filter(avfilter_graph_config(graph_.get(), nullptr), "set-up");
  }

  void convert(std::span<const float> in, std::vector<float>& out) {
    if (in.empty()) {
      need_filter(av_buffersrc_add_frame_flags(source_, nullptr, 0), "the end");
    } else {
      const FramePtr frame = make_frame();
      frame->format = AV_SAMPLE_FMT_FLT;
      frame->sample_rate = format_.rate;
      frame->ch_layout = layout_;
      frame->nb_samples = static_cast<int>(in.size()) / format_.channels;
      frame->pts = given_;
      given_ += frame->nb_samples;
      need_filter(av_frame_get_buffer(frame.get(), 0), "memory");
      std::copy(in.begin(), in.end(), reinterpret_cast<float*>(frame->data[0]));
      need_filter(av_buffersrc_add_frame_flags(source_, frame.get(), 0), "input");
    }
    while (av_buffersink_get_frame(sink_, done_.get()) >= 0) {
      ENSURE(done_->format == AV_SAMPLE_FMT_FLT);
      const auto* samples = reinterpret_cast<const float*>(done_->data[0]);
      out.insert(out.end(), samples, samples + done_->nb_samples * format_.channels);
      av_frame_unref(done_.get());
    }
  }

 private:
  const AudioFormat format_;
  AVChannelLayout layout_{};
  FilterGraphPtr graph_;
  AVFilterContext* source_ = nullptr;  // both belong to graph_
  AVFilterContext* sink_ = nullptr;
  FramePtr done_ = make_frame();
  int64_t given_ = 0;
};

AudioTempo::AudioTempo(AudioFormat format, double speed) {
  ENSURE(speed >= 0.25 && speed <= 4);
  graph_ = std::make_unique<Graph>(format, speed);
}
AudioTempo::~AudioTempo() = default;
void AudioTempo::convert(std::span<const float> in, std::vector<float>& out) { graph_->convert(in, out); }

}  // namespace texcast::media
