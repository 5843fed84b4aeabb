// ffmpeg.h — FFmpeg's C interface for the modules of media: its headers, owners of its objects, and its log.
//
//     set_up_ffmpeg();
//     take_last_av_line();  // so that a message is about what follows
//     AVFormatContext* raw = nullptr;
//     const int code = avformat_open_input(&raw, "file:clip.mov", nullptr, nullptr);
//     const InputPtr input(raw);
//     if (code < 0) throw Error(ErrorKind::input, "cannot open clip.mov: " + av_reason(code));
//
// The functions are thread-safe; FFmpeg's objects are not.
#pragma once

#include <memory>
#include <new>
#include <string>

// C++ warnings about C code are disabled for FFmpeg's headers only.
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

// The time base (seconds per tick) of texcast's times, for av_rescale_q().
inline constexpr AVRational kNanoseconds{1, 1'000'000'000};

// The value of a file's or a track's metadata; empty: there is none.
std::string metadata_of(const AVDictionary* metadata, const char* key);

// Sends FFmpeg's errors and warnings to log_debug() instead of stderr. Only the first call in a process does anything;
// every function that opens something calls it.
void set_up_ffmpeg();

// Receives what a decoder logs while it works, on any of the decoder's threads. AVCodecContext::opaque of a decoder is
// one of these or null. Lines of AV_LOG_INFO and more severe ones, without their end.
class DecoderListener {
 public:
  virtual void said(const AVCodecContext& decoder, int level, const std::string& line) = 0;

 protected:
  DecoderListener();
  ~DecoderListener();
  DecoderListener(const DecoderListener&) = delete;
  DecoderListener& operator=(const DecoderListener&) = delete;
};

// The last error that FFmpeg logged on this thread since the previous call: one line, without its full stop. Empty if
// there was none.
std::string take_last_av_line();
// Likewise the first one since the previous call of either: FFmpeg's libavfilter says the cause first.
std::string take_first_av_line();

// The text of an FFmpeg error (negative): "No such file or directory".
std::string av_error_text(int code);

// The text of take_last_av_line(), which is more detailed, or else the text of the code.
std::string av_reason(int code);

// Owners that call FFmpeg's own function for freeing.
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

// An output context and its file, if FFmpeg opened one (with AVFMT_FLAG_CUSTOM_IO the file belongs to texcast). Errors
// of closing are lost here: a writer that needs them closes the file itself.
struct OutputClose {
  void operator()(AVFormatContext* output) const {
    const bool is_ours = (output->flags & AVFMT_FLAG_CUSTOM_IO) != 0;
    if (output->pb && !is_ours && !(output->oformat->flags & AVFMT_NOFILE)) avio_closep(&output->pb);
    avformat_free_context(output);
  }
};
using OutputPtr = std::unique_ptr<AVFormatContext, OutputClose>;

// Return empty objects; throw std::bad_alloc.
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

// Options for one of FFmpeg's functions that open something, which removes those that it knows from the dictionary.
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
