// picture_packets.h — reads the packets of a file picture by picture: one packet from each track that holds a part of
// the picture, all with the same time.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "media/ffmpeg.h"

namespace texcast::media {

inline constexpr size_t kMaxPictureTracks = 3;

// One packet per track. The first one has the picture's time; it is null if there is no picture.
using PicturePacket = std::array<std::shared_ptr<AVPacket>, kMaxPictureTracks>;

// Not thread-safe. Packets of other tracks are discarded. The file may interleave the tracks in any way, as long as
// there are no more than kMostWaiting packets between those of one picture.
class PicturePackets {
 public:
  static constexpr size_t kMostWaiting = 256;

  // `tracks` belong to `input`, which must outlive this: 1 to kMaxPictureTracks.
  PicturePackets(AVFormatContext& input, std::vector<const AVStream*> tracks);

  enum class Read { picture, end, damaged };
  // Reads the next picture. If it is damaged, or a part of it is missing, error() tells how, and the next call goes on
  // after it.
  Read read(PicturePacket& picture);
  const std::string& error() const { return error_; }
  void restart();  // call it after a seek of the input: discards what was read

 private:
  using Packet = std::shared_ptr<AVPacket>;
  enum class Next { packet, end, damaged };
  Next read_packet(Packet& packet, size_t& part);
  Read assemble(PicturePacket& picture);

  AVFormatContext& input_;
  std::vector<const AVStream*> tracks_;
  std::array<std::deque<Packet>, kMaxPictureTracks> waiting_;
  bool ended_ = false;
  std::string error_;
};

// The packet's time in ticks of its track: its pts, else its dts, else AV_NOPTS_VALUE.
inline int64_t stamp_of(const AVPacket& packet) { return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts; }

}  // namespace texcast::media
