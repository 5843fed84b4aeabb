#include "media/clip_details.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "container/block_check.h"
#include "container/hap_frame.h"
#include "media/clip_track.h"
#include "media/ffmpeg.h"
#include "media/files.h"
#include "media/texture_codecs.h"

namespace texcast::media {
namespace {

constexpr int64_t kSampledFrames = 120;
// The tolerance between the longest and the shortest distance of frames at a steady rate: Matroska rounds both ends to
// milliseconds.
constexpr nanoseconds kRounding = std::chrono::microseconds(2100);

// Watches the time between frames, which are added in order.
class RateWatch {
 public:
  void add(nanoseconds pts) {
    if (last_) {
      shortest_ = std::min(shortest_, pts - *last_);
      longest_ = std::max(longest_, pts - *last_);
    }
    last_ = pts;
  }
  bool is_variable() const { return longest_ > shortest_ && longest_ - shortest_ > kRounding; }

 private:
  std::optional<nanoseconds> last_;
  nanoseconds shortest_ = nanoseconds::max();
  nanoseconds longest_ = nanoseconds::min();
};

void look_at(FramePacking& packing, const container::HapFrameSummary& frame) {
  packing.fewest_chunks = packing.frames == 0 ? frame.chunks : std::min(packing.fewest_chunks, frame.chunks);
  packing.most_chunks = std::max(packing.most_chunks, frame.chunks);
  packing.any_snappy |= frame.snappy_chunks > 0;
  packing.any_plain |= frame.snappy_chunks < frame.chunks;
  ++packing.frames;
}

// A picture of one track in one packet. Planes in tracks of their own are BC4 each.
std::optional<container::HapFrameSummary> summary_of(const StoredFrame& frame, const TextureDesc& texture) {
  if (!frame.parts[1].bytes.empty()) {
    container::HapFrameSummary all;
    for (const StoredFrame::Part& part : frame.parts) {
      if (part.bytes.empty()) continue;
      const auto one =
          container::summarize_hap_frame(part.bytes, container::HapImages({container::HapTexture::bc4, 0}));
      if (!one) return std::nullopt;
      all.chunks += one->chunks;
      all.snappy_chunks += one->snappy_chunks;
    }
    return all;
  }
  const auto summary = container::summarize_hap_frame(frame.parts[0].bytes, container::hap_images(texture));
  return summary ? std::optional(*summary) : std::nullopt;
}

// Notes blocks that are not legal or not displayable. Only for files of other programs; one frame of a video is enough.
void look_at_blocks(const ClipReader& clip, const StoredFrame& frame, ClipDetails& details) {
  const TextureDesc& texture = clip.info().texture;
  std::vector<std::byte> blocks(texture_layout(texture).total_bytes);
  if (!clip.unpack(frame, blocks)) return;
  const auto found = container::look_at_blocks({texture, blocks});
  if (found.illegal) details.damage.push_back(*found.illegal);
  if (found.unshown) details.notes.push_back(*found.unshown);
}

void sample_frames(ClipReader& clip, bool is_hap, ClipDetails& details) {
  const TextureDesc& texture = clip.info().texture;
  int64_t frames = 0, bytes = 0, damaged = 0;
  RateWatch rate;
  FramePacking packing;
  for (int64_t i = 0; i < kSampledFrames; ++i) {
    const auto stored = clip.next_stored();
    if (stored && !*stored) break;
    if (!stored) {
      ++damaged;
      continue;
    }
    if (frames == 0 && is_still(clip.info().container)) look_at_blocks(clip, **stored, details);
    ++frames;
    bytes += (*stored)->stored_bytes;
    rate.add((*stored)->pts);
    if (!is_hap) continue;
    if (const auto summary = summary_of(**stored, texture))
      look_at(packing, *summary);
    else
      ++damaged;
  }
  if (packing.frames > 0) details.packing = packing;
  const double pixels = static_cast<double>(texture.width) * texture.height * static_cast<double>(frames);
  if (frames > 0) details.stored_bits_per_pixel = static_cast<double>(bytes) * 8 / pixels;
  details.is_sampled = frames + damaged == kSampledFrames;
  if (!details.is_sampled) details.counted_frames = frames + damaged;
  details.has_variable_rate = rate.is_variable();
  if (damaged > 0)
    details.damage.push_back(fmt::format("{} of the first {} frames {} damaged: see `texcast verify`", damaged,
                                         frames + damaged, damaged == 1 ? "is" : "are"));
}

std::optional<nanoseconds> duration_of(const AVStream& track) {
  if (track.duration <= 0) return std::nullopt;
  return nanoseconds(av_rescale_q(track.duration, track.time_base, kNanoseconds));
}

// Exact if the container has an index of all frames. The picture is spread over all of `tracks`.
void look_through_index(const std::vector<AVStream*>& tracks, const ClipInfo& info, ClipDetails& details) {
  const int entries = avformat_index_get_entries_count(tracks.front());
  for (AVStream* track : tracks)
    if (track->nb_frames != entries || avformat_index_get_entries_count(track) != entries) return;
  if (entries == 0) return;
  int64_t bytes = 0, outside = 0;
  RateWatch rate;
  for (int i = 0; i < entries; ++i) {
    bool is_outside = false;
    for (AVStream* track : tracks) {
      const AVIndexEntry& entry = *avformat_index_get_entry(track, i);
      bytes += entry.size;
      is_outside |= entry.pos + entry.size > info.file_bytes;
    }
    outside += is_outside;
    const AVStream& track = *tracks.front();
    rate.add(nanoseconds(
        av_rescale_q(avformat_index_get_entry(tracks.front(), i)->timestamp, track.time_base, kNanoseconds)));
  }
  const double pixels = static_cast<double>(info.texture.width) * info.texture.height * entries;
  details.stored_bits_per_pixel = static_cast<double>(bytes) * 8 / pixels;
  details.is_sampled = false;
  details.has_variable_rate = rate.is_variable();
  if (outside > 0)
    details.damage.push_back(fmt::format("the file is truncated: {} of its {} frames {} after its end", outside,
                                         entries, outside == 1 ? "lies" : "lie"));
}

void look_at_container(const ClipInfo& info, ClipDetails& details) {
  int code = 0;
  const InputPtr input = open_clip_input(info.path, code);
  if (!input) return;
  std::vector<AVStream*> tracks;
  for (const int track : texture_tracks(*input)) tracks.push_back(input->streams[track]);
  bool has_others = false;
  for (unsigned i = 0; i < input->nb_streams; ++i) {
    AVStream& track = *input->streams[i];
    const AVCodecParameters& p = *track.codecpar;
    if (p.codec_type == AVMEDIA_TYPE_AUDIO)
      details.audio.push_back({.codec = avcodec_get_name(p.codec_id),
                               .channels = p.ch_layout.nb_channels,
                               .sample_rate = p.sample_rate,
                               .duration = duration_of(track)});
    if (p.codec_type == AVMEDIA_TYPE_VIDEO && codec_of_track(p)) has_others |= std::ranges::count(tracks, &track) == 0;
  }
  if (!tracks.empty() && !has_others) look_through_index(tracks, info, details);
}

}  // namespace

ClipDetails clip_details(ClipReader& clip) {
  const ClipInfo& info = clip.info();
  const bool is_muxed = !is_still(info.container);
  const bool is_compact = info.coding == FileCoding::compact;
  if (is_compact) clip.only_look();
  ClipDetails details;
  sample_frames(clip, is_muxed && !is_compact && format_row(info.texture.format).track.kind != TrackKind::raw, details);
  if (is_muxed) look_at_container(info, details);
  return details;
}

}  // namespace texcast::media
