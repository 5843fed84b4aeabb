#include "media/same_packets.h"

#include <fmt/core.h>

#include <cstring>
#include <vector>

#include "media/clip_track.h"
#include "media/ffmpeg.h"
#include "same_tracks.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

InputPtr open_compared(const std::string& path) {
  int code = 0;
  InputPtr input = open_clip_input(path, code, EditLists::as_offset);
  if (input) code = avformat_find_stream_info(input.get(), nullptr);
  take_last_av_line();
  if (!input || code < 0) throw Error(ErrorKind::input, fmt::format("cannot read '{}': {}", path, av_reason(code)));
  return input;
}

bool same_packet(const AVPacket& a, const AVPacket& b) {
  return a.stream_index == b.stream_index && a.pts == b.pts && a.duration == b.duration && a.flags == b.flags &&
         a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, static_cast<size_t>(a.size)) == 0);
}

}  // namespace

std::optional<std::string> first_difference(const std::string& one, const std::string& other) {
  const InputPtr a = open_compared(one), b = open_compared(other);
  if (!same_tracks(*a, *b)) return "the tracks";
  std::vector<int64_t> packets(a->nb_streams);
  for (const PacketPtr x = make_packet(), y = make_packet();;) {
    av_packet_unref(x.get());
    av_packet_unref(y.get());
    const int of_a = av_read_frame(a.get(), x.get()), of_b = av_read_frame(b.get(), y.get());
    take_last_av_line();
    if (of_a < 0 && of_b < 0) return std::nullopt;
    if (of_a < 0 || of_b < 0) return "the number of packets";
    const auto track = static_cast<size_t>(x->stream_index);
    const int64_t number = track < packets.size() ? packets[track]++ : 0;
    if (!same_packet(*x, *y)) return fmt::format("packet {} of track {}", number, track);
  }
}

}  // namespace texcast::media
