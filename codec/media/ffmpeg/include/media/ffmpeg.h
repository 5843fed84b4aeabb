// ffmpeg.h — FFmpeg's C interface as the rooms of media use it: its headers, owners of its objects, its time base of
// our times, and its log.
#pragma once

#include <memory>
#include <new>
#include <string>

// Warnings of C++ about C are off for FFmpeg's headers alone.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace texcast::media {

inline constexpr AVRational kNanoseconds{1, 1'000'000'000};  // the time base of our own times

// Takes FFmpeg's log over and registers its devices, once for the process; every opening function calls it. Errors
// and warnings of FFmpeg go to log_debug from then on.
void set_up_ffmpeg();

// The last error line FFmpeg logged on this thread since the last call; empty when there was none.
std::string take_last_av_line();

// "No such file or directory"
std::string av_error_text(int code);

// FFmpeg's last line where it logged one, else the text of the code.
std::string why(int code);

struct AvFree {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
  void operator()(AVFilterGraph* graph) const { avfilter_graph_free(&graph); }
  void operator()(SwrContext* resampler) const { swr_free(&resampler); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};
using FramePtr = std::unique_ptr<AVFrame, AvFree>;
using PacketPtr = std::unique_ptr<AVPacket, AvFree>;
using CodecPtr = std::unique_ptr<AVCodecContext, AvFree>;
using ParametersPtr = std::unique_ptr<AVCodecParameters, AvFree>;
using FilterGraphPtr = std::unique_ptr<AVFilterGraph, AvFree>;
using SwrPtr = std::unique_ptr<SwrContext, AvFree>;
using ScalerPtr = std::unique_ptr<SwsContext, AvFree>;

struct InputClose {
  void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
};
using InputPtr = std::unique_ptr<AVFormatContext, InputClose>;

// An output context and, where open, its file (but for one of our own). Closing here drops errors: a writer that cares
// closes by itself.
struct OutputClose {
  void operator()(AVFormatContext* output) const {
    const bool is_ours = (output->flags & AVFMT_FLAG_CUSTOM_IO) != 0;
    if (output->pb && !is_ours && !(output->oformat->flags & AVFMT_NOFILE)) avio_closep(&output->pb);
    avformat_free_context(output);
  }
};
using OutputPtr = std::unique_ptr<AVFormatContext, OutputClose>;

inline FramePtr make_frame() {
  FramePtr frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}
inline PacketPtr make_packet() {
  PacketPtr packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

// A dictionary of options; FFmpeg takes out what it understood.
class Options {
 public:
  Options() = default;
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options() { av_dict_free(&dict_); }
  void set(const char* key, const char* value) { av_dict_set(&dict_, key, value, 0); }
  AVDictionary** out() { return &dict_; }

 private:
  AVDictionary* dict_ = nullptr;
};

}  // namespace texcast::media
