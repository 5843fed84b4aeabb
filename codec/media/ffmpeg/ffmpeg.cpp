#include "media/ffmpeg.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <set>

#include "base/log.h"

namespace texcast::media {
namespace {

// The first and the last error of FFmpeg that was not taken yet.
struct SaidLines {
  std::string first, last;
};
SaidLines& said_lines() {
  // One per thread: FFmpeg opens files on the caller's thread, and the logs of its decoding threads do not belong to
  // that.
  thread_local SaidLines lines;
  return lines;
}

// The existing listeners. The surrounding program may have its own decoders, whose `opaque` is something else.
struct Listeners {
  std::mutex mutex;
  std::set<const void*> living;
};
Listeners& listeners() {
  static auto* const all = new Listeners;  // lines may come until the very end of the program
  return *all;
}

DecoderListener* listener_of(void* context) {
  if (context == nullptr || *static_cast<const AVClass* const*>(context) != avcodec_get_class()) return nullptr;
  void* const opaque = static_cast<AVCodecContext*>(context)->opaque;
  const std::lock_guard lock(listeners().mutex);
  return listeners().living.contains(opaque) ? static_cast<DecoderListener*>(opaque) : nullptr;
}

void take_log_line(void* context, int level, const char* format, va_list args) {
  if (level > AV_LOG_INFO) return;
  DecoderListener* listener = listener_of(context);
  if (level > AV_LOG_WARNING && listener == nullptr) return;
  char text[512];
  const int length = std::vsnprintf(text, sizeof text, format, args);
  if (length <= 0) return;
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  if (line.empty()) return;
  if (listener != nullptr) listener->said(*static_cast<const AVCodecContext*>(context), level, line);
  if (level > AV_LOG_WARNING) return;
  log_debug("ffmpeg: {}", line);
  if (level > AV_LOG_ERROR) return;
  SaidLines& said = said_lines();
  if (said.last.empty()) said.first = line;
  said.last = line;
}

}  // namespace

DecoderListener::DecoderListener() {
  const std::lock_guard lock(listeners().mutex);
  listeners().living.insert(this);
}

DecoderListener::~DecoderListener() {
  const std::lock_guard lock(listeners().mutex);
  listeners().living.erase(this);
}

std::string metadata_of(const AVDictionary* metadata, const char* key) {
  const AVDictionaryEntry* entry = av_dict_get(metadata, key, nullptr, 0);
  return entry ? entry->value : "";
}

void set_up_ffmpeg() {
  static std::once_flag once;
  std::call_once(once, [] {
    av_log_set_callback(take_log_line);
    avformat_network_init();
  });
}

std::string take_last_av_line() { return std::exchange(said_lines(), {}).last; }

std::string take_first_av_line() { return std::exchange(said_lines(), {}).first; }

std::string av_error_text(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  return text;
}

std::string av_reason(int code) {
  const std::string line = take_last_av_line();
  return line.empty() ? av_error_text(code) : line;
}

}  // namespace texcast::media
