#include "media/muxed_output.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/ensure.h"
#include "base/errno_text.h"
#include "base/log.h"
#include "media/clip_track.h"
#include "media/ffmpeg.h"
#include "media/files.h"
#include "media/journal_file.h"
#include "media/journal_tracks.h"
#include "media/output_file.h"
#include "media/pixel_formats.h"
#include "media/recorded_part.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr int kLeastTicks = 90'000;  // per second

// Matroska's muxer collects packets in a cluster. At this interval the cluster is ended and passed to the system, which
// keeps it even if this program is killed. (In .mov every packet is passed on at once, with its record in the journal.)
constexpr nanoseconds kClusterTime = std::chrono::milliseconds(250);

// At this interval it is checked that the file still exists.
constexpr nanoseconds kLookTime = std::chrono::seconds(1);

// The most that a packet adds to the index (.mov: size, offset, time; .mkv: a cue), and to other data at the end.
constexpr int64_t kIndexBytesPerPacket = 32;
constexpr int64_t kIndexBytes = 64 << 10;

// A whole number of ticks for each frame at the nominal rate, and at least 90,000 of them per second, for frames that
// come at other times. (Matroska rounds to milliseconds in any case.)
AVRational time_base_for(AVRational fps) {
  constexpr int kMost = 1'000'000;  // more: not a rate, but the fraction nearest to some floating-point number
  if (fps.num <= 0 || fps.num > kMost) return {1, kLeastTicks};
  return {1, fps.num * ((kLeastTicks + fps.num - 1) / fps.num)};
}

// Matroska stores Hap as QuickTime does: the track's private data are a sample description, of which the size and the
// FourCC are used. FFmpeg's muxer writes it for the Hap formats that FFmpeg decodes; the others (Hap R, Hap HDR) get it
// as their extradata.
bool knows_hap(uint32_t tag) {
  const AVCodecTag* const tags[] = {avformat_get_mov_video_tags(), nullptr};
  return av_codec_get_id(tags, tag) == AV_CODEC_ID_HAP;
}

std::array<uint8_t, 90> quicktime_description(uint32_t tag) {
  std::array<uint8_t, 90> description{0, 0, 0, 90};
  for (size_t i = 0; i < 4; ++i) description[4 + i] = static_cast<uint8_t>(tag >> (8 * i));
  return description;
}

// Sets it in both places that FFmpeg's muxers read.
void set_aspect(AVStream& stream, AVRational aspect) {
  stream.codecpar->sample_aspect_ratio = aspect;
  stream.sample_aspect_ratio = aspect;
}

// Sets it under two keys: .mov stores only the first, Matroska both.
void set_name(AVStream& stream, const std::string& name) {
  if (name.empty()) return;
  av_dict_set(&stream.metadata, "handler_name", name.c_str(), 0);
  av_dict_set(&stream.metadata, "title", name.c_str(), 0);
}

}  // namespace

MuxedOutput::MuxedOutput(const std::string& path, const char* muxer)
    : MuxedOutput(OutputClaim::take(path, IfExists::refuse), muxer) {}

MuxedOutput::MuxedOutput(std::shared_ptr<OutputClaim> claim, const char* muxer)
    : MuxedOutput(std::make_unique<OutputFile>(claim->path(), claim->replaces()), std::make_unique<JournalFile>(claim),
                  muxer) {}

MuxedOutput::MuxedOutput(const PipeOutput& pipe, const char* muxer)
    : MuxedOutput(std::make_unique<OutputFile>(pipe), nullptr, muxer) {}

MuxedOutput::MuxedOutput(std::unique_ptr<OutputFile> file, std::unique_ptr<JournalFile> journal, const char* muxer)
    : file_(std::move(file)), journal_(std::move(journal)), is_mov_(std::string_view(muxer) == "mov") {
  set_up_ffmpeg();
  take_last_av_line();
  AVFormatContext* raw = nullptr;
  if (const int code = avformat_alloc_output_context2(&raw, nullptr, muxer, path().c_str()); code < 0) fail(code);
  output_.reset(raw);
  output_->pb = file_->io();
  output_->flags |= AVFMT_FLAG_CUSTOM_IO;
  // Otherwise FFmpeg refuses texcast's own FourCCs, which its list of codecs for MOV does not have.
  output_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
}

// A file without a header is of no use.
MuxedOutput::~MuxedOutput() {
  if (begun_ == SteadyTime{} && file_->created()) unlink(path().c_str());
}

const std::string& MuxedOutput::path() const { return file_->path(); }

int64_t MuxedOutput::bytes() const {
  if (!output_) return closed_bytes_;
  return file_->position() + in_cluster_ + index_bytes();
}

AVStream& MuxedOutput::new_track(AVMediaType type) {
  bool is_first = true;  // of its kind: players take the first by default
  for (const Track& track : tracks_) is_first = is_first && track.stream->codecpar->codec_type != type;
  AVStream* stream = avformat_new_stream(output_.get(), nullptr);
  if (!stream) throw std::bad_alloc();
  tracks_.push_back({.stream = stream});
  stream->disposition = is_first ? AV_DISPOSITION_DEFAULT : 0;
  return *stream;
}

int MuxedOutput::add_video(const VideoTrack& track) {
  AVStream& stream = new_track(AVMEDIA_TYPE_VIDEO);
  stream.avg_frame_rate = av_d2q(track.fps, 1'001'000);
  stream.time_base = time_base_for(stream.avg_frame_rate);
  AVCodecParameters& p = *stream.codecpar;
  p.codec_type = AVMEDIA_TYPE_VIDEO;
  p.codec_id = track.codec;
  p.codec_tag = track.tag;
  p.width = track.width;
  p.height = track.height;
  p.bits_per_coded_sample = track.depth;
  p.format = track.pixels;
  p.color_space = av_matrix(track.color.matrix);
  p.color_primaries = static_cast<AVColorPrimaries>(track.color.primaries);
  p.color_trc = static_cast<AVColorTransferCharacteristic>(track.color.transfer);
  p.color_range = track.color.range == ColorRange::full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  // Square pixels are the default and not written, as in files of other programs.
  if (!track.aspect.is_square()) set_aspect(stream, {track.aspect.num, track.aspect.den});
  set_name(stream, track.name);
  const auto description = quicktime_description(track.tag);
  const bool lacks_tag = !is_mov_ && track.codec == AV_CODEC_ID_HAP && !knows_hap(track.tag);
  const Bytes extradata = lacks_tag ? std::as_bytes(std::span(description)) : track.extradata;
  if (!extradata.empty()) {
    p.extradata = static_cast<uint8_t*>(av_mallocz(extradata.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (!p.extradata) throw std::bad_alloc();
    std::ranges::copy(extradata, reinterpret_cast<std::byte*>(p.extradata));
    p.extradata_size = static_cast<int>(extradata.size());
  }
  return stream.index;
}

int MuxedOutput::add_track(const AVCodecParameters& parameters, AVRational time_base, AVRational fps,
                           const std::string& language, const std::string& name) {
  AVStream& stream = new_track(parameters.codec_type);
  if (avcodec_parameters_copy(stream.codecpar, &parameters) < 0) throw std::bad_alloc();
  stream.time_base = time_base;
  stream.avg_frame_rate = fps;
  set_aspect(stream, parameters.sample_aspect_ratio);
  if (!language.empty()) av_dict_set(&stream.metadata, "language", language.c_str(), 0);
  set_name(stream, name);
  return stream.index;
}

void MuxedOutput::set_part(const RecordedPart& part) {
  av_dict_set(&output_->metadata, kPartKey, part_text(part).c_str(), 0);
}

void MuxedOutput::begin() {
  Options options;
  if (is_mov_) {
    // The colour tag of .mov cannot hold the range, so a metadata key of texcast's own does.
    options.set("movflags", "use_metadata_tags");
    const bool is_limited = std::ranges::any_of(
        tracks_, [](const Track& track) { return track.stream->codecpar->color_range == AVCOL_RANGE_MPEG; });
    av_dict_set(&output_->metadata, kRangeKey, is_limited ? "limited" : "full", 0);
    // The first frame of a part may come later than time 0, which is stored in ticks of this clock.
    if (!metadata_of(output_->metadata, kPartKey).empty())
      options.set("movie_timescale", std::to_string(tracks_.front().stream->time_base.den).c_str());
  }
  if (const int code = avformat_write_header(output_.get(), options.out()); code < 0) fail(code);
  if (journal_) {
    container::JournalHeader header{.muxer = output_->oformat->name, .tracks = {}};
    for (const Track& track : tracks_) header.tracks.push_back(journal_track(*track.stream));
    journal_->begin(header, file_->descriptor());
  }
  begun_ = steady_now();
  next_cluster_ = begun_;  // the first frame is written at once, as nothing can be recovered from a header alone
}

void MuxedOutput::fail(int code) {
  // The system's reason if there is one; FFmpeg's log line would only repeat it in more words.
  if (file_->error() != 0 && packets_ > 0 && journal_)
    throw Error(
        ErrorKind::failed,
        fmt::format(
            "cannot write '{0}': {1}; the part that was written is not lost: run `texcast recover {0}` once that is "
            "mended",
            path(), errno_text(file_->error())));
  if (file_->error() != 0) throw_cannot_write(path(), file_->error());
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path(), av_error_text(code)));
}

int64_t MuxedOutput::index_bytes() const { return kIndexBytes + kIndexBytesPerPacket * packets_; }

void MuxedOutput::write(const TrackPacket& packet) {
  ENSURE(output_);
  const auto size = static_cast<int64_t>(packet.bytes.size());
  if (const int error = file_->keep_room(in_cluster_ + size + index_bytes())) close_early(error);
  Track& t = tracks_.at(static_cast<size_t>(packet.track));
  int64_t stamp = av_rescale_q(packet.pts, packet.time_base, t.stream->time_base);
  if (t.last_pts) stamp = std::max(stamp, *t.last_pts + 1);
  t.last_pts = stamp;
  packet_->data = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(packet.bytes.data()));
  packet_->size = static_cast<int>(size);
  packet_->stream_index = t.stream->index;
  packet_->pts = packet_->dts = stamp;
  packet_->duration = av_rescale_q(packet.duration, packet.time_base, t.stream->time_base);
  packet_->flags = packet.is_key ? AV_PKT_FLAG_KEY : 0;
  const int64_t offset = file_->position();
  const int code = av_write_frame(output_.get(), packet_.get());
  if (code < 0) fail(code);
  if (file_->io()->error < 0) fail(file_->io()->error);
  ++t.packets;
  ++packets_;
  if (is_mov_)
    journal_packet(*packet_, offset, packet.bytes);
  else  // if the file grew, the muxer has written the previous cluster and begun one with this packet
    in_cluster_ = file_->position() > offset ? size : in_cluster_ + size;
  hand_to_system();
}

// For .mov only: a .mkv can be read without its index, and its packets reach the file later, a cluster at a time.
void MuxedOutput::journal_packet(const AVPacket& packet, int64_t offset, Bytes bytes) {
  journal_->add({.kind = container::JournalRecord::Kind::packet,
                 .track = static_cast<uint8_t>(packet.stream_index),
                 .offset = static_cast<uint64_t>(offset),
                 .size = static_cast<uint32_t>(bytes.size()),
                 .duration = static_cast<uint32_t>(packet.duration),
                 .pts = packet.pts,
                 .crc = container::crc32(bytes)});
}

void MuxedOutput::mark_concealed(int64_t number, uint32_t blocks) {
  const container::JournalRecord mark{
      .kind = container::JournalRecord::Kind::concealed, .offset = static_cast<uint64_t>(number), .size = blocks};
  if (!journal_) return;
  marks_.push_back(mark);
  journal_->add(mark);
}

void MuxedOutput::hand_to_system() {
  const SteadyTime now = steady_now();
  if (!journal_) {
    av_write_frame(output_.get(), nullptr);
    if (file_->flush() != 0) fail(AVERROR(file_->error()));
    return;
  }
  if (!is_mov_ && now >= next_cluster_) {
    next_cluster_ = now + kClusterTime;
    av_write_frame(output_.get(), nullptr);  // ends the cluster
    in_cluster_ = 0;
  }
  if (now >= next_look_) {
    next_look_ = now + kLookTime;
    if (!file_->place()) fail_removed();
  }
  if (file_->flush() != 0) fail(AVERROR(file_->error()));
  if (const int error = journal_->write_pending()) close_early(error);
}

void MuxedOutput::fail_removed() {
  output_.reset();
  journal_->close(0, {});
  throw Error(ErrorKind::failed, fmt::format("cannot write more of '{}': the file and its {} frames were removed",
                                             path(), tracks_.front().packets));
}

// The disk is full or fails. The file is closed with its contents so far, as room for its index was reserved. A file
// without a frame is of no use.
void MuxedOutput::close_early(int system_error) {
  if (tracks_.front().packets == 0) {
    output_.reset();
    journal_->close(0, {});
    if (file_->created()) unlink(path().c_str());
    throw_cannot_write(path(), system_error);
  }
  const std::string where = path();
  const int64_t frames = tracks_.front().packets;
  const int64_t bytes = finish();
  throw Error(
      ErrorKind::failed,
      fmt::format("cannot write more of '{}': {}; it was closed with {} frames in {:.1f} MB and is playable; make "
                  "room or record to another disk",
                  where, errno_text(system_error), frames, static_cast<double>(bytes) / 1e6));
}

int64_t MuxedOutput::finish() {
  ENSURE(output_);
  const OutputPtr output = std::move(output_);
  const int code = av_write_trailer(output.get());
  if (code < 0) fail(code);
  // A recording of less than a second was never flushed to disk, and is left to the system like any small file.
  const bool is_long = steady_now() - begun_ > std::chrono::seconds(1);
  if (const auto place = file_->place(); place && *place != path())
    log_warning("'{}' was renamed while it was recorded: its name is '{}' now", path(), *place);
  const int64_t bytes = file_->close(is_long ? OutputFile::OnClose::sync : OutputFile::OnClose::leave_to_system);
  closed_bytes_ = bytes;
  if (journal_) journal_->close(bytes, marks_);
  return bytes;
}

}  // namespace texcast::media
