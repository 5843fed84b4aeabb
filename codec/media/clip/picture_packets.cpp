#include "picture_packets.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "media/ffmpeg.h"

namespace texcast::media {

PicturePackets::PicturePackets(AVFormatContext& input, std::vector<const AVStream*> tracks)
    : input_(input), tracks_(std::move(tracks)) {
  ENSURE(!tracks_.empty() && tracks_.size() <= kMaxPictureTracks);
}

void PicturePackets::restart() {
  ended_ = false;
  for (auto& packets : waiting_) packets.clear();
}

PicturePackets::Next PicturePackets::read_packet(Packet& packet, size_t& part) {
  packet = make_packet();
  for (;;) {
    av_packet_unref(packet.get());
    const int code = av_read_frame(&input_, packet.get());
    if (code == AVERROR_EOF) {
      ended_ = true;
      return Next::end;
    }
    if (code < 0) {
      // After invalid data the demuxer continues with the next sample. Any other error would recur at every call.
      if (code != AVERROR_INVALIDDATA) ended_ = true;
      error_ = av_reason(code);
      return Next::damaged;
    }
    const auto track = std::ranges::find(tracks_, packet->stream_index, [](const AVStream* t) { return t->index; });
    if (track == tracks_.end()) continue;
    part = static_cast<size_t>(track - tracks_.begin());
    if ((packet->flags & AV_PKT_FLAG_CORRUPT) == 0) return Next::packet;
    error_ = "the file is truncated inside it";
    return Next::damaged;
  }
}

PicturePackets::Read PicturePackets::read(PicturePacket& picture) {
  picture = {};
  for (;;) {
    if (const Read read = assemble(picture); read != Read::end) return read;
    if (ended_) return Read::end;
    Packet packet;
    size_t part = 0;
    const Next next = read_packet(packet, part);
    if (next == Next::packet) waiting_[part].push_back(std::move(packet));
    // If a packet of another track is missing, assemble() finds the picture incomplete and reports it.
    if (next == Next::damaged && (tracks_.size() == 1 || part == 0)) return Read::damaged;
  }
}

// Returns the oldest picture once all its packets are known. Read::end: more packets must be read first.
PicturePackets::Read PicturePackets::assemble(PicturePacket& picture) {
  auto& first = waiting_[0];
  if (first.empty()) {
    for (auto& packets : waiting_)
      if (packets.size() > kMostWaiting) packets.pop_front();
    return Read::end;
  }
  const int64_t stamp = stamp_of(*first.front());
  bool whole = true;
  for (size_t part = 1; part < tracks_.size(); ++part) {
    auto& packets = waiting_[part];
    const auto compared = [&] {
      return av_compare_ts(stamp_of(*packets.front()), tracks_[part]->time_base, stamp, tracks_[0]->time_base);
    };
    while (!packets.empty() && compared() < 0) packets.pop_front();
    if (packets.empty() && !ended_ && first.size() <= kMostWaiting) return Read::end;
    whole = whole && !packets.empty() && compared() == 0;
  }
  picture[0] = std::move(first.front());
  first.pop_front();
  if (!whole) {
    picture = {};
    error_ = "a part of it is missing";
    return Read::damaged;
  }
  for (size_t part = 1; part < tracks_.size(); ++part) {
    picture[part] = std::move(waiting_[part].front());
    waiting_[part].pop_front();
  }
  return Read::picture;
}

}  // namespace texcast::media
