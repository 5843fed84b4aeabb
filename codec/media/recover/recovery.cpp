#include "media/recovery.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/file_place.h"
#include "container/compact_frame.h"
#include "container/hap_frame.h"
#include "media/clip_track.h"
#include "media/files.h"
#include "media/journal_file.h"
#include "media/journal_tracks.h"
#include "media/muxed_output.h"
#include "media/texture_codecs.h"
#include "media/track_copy.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

namespace fs = std::filesystem;
using container::Journal;
using container::JournalRecord;
using container::JournalTrack;

const char* recoverable_muxer(const std::string& path) {
  if (const char* muxer = muxer_of(path)) return muxer;
  throw Error(ErrorKind::usage, fmt::format("'{}': recordings can be recovered to .mov or .mkv", path));
}

// "show.recovered.mov"
std::string name_beside(const std::string& recording) {
  const fs::path path(recording);
  return (path.parent_path() / (path.stem().string() + ".recovered" + path.extension().string())).string();
}

void check_room(const std::string& recording, const std::string& output) {
  constexpr uintmax_t kIndex = 16 << 20;
  std::error_code error;
  const fs::space_info space = fs::space(folder_of(output), error);
  if (error) return;  // not known: a full disk is detected while writing
  const uintmax_t needed = fs::file_size(recording) + kIndex;
  if (space.available >= needed) return;
  throw Error(ErrorKind::failed, fmt::format("recovering '{}' needs {:.1f} MB on the disk of '{}', where {:.1f} MB are "
                                             "free; make room, or give another disk: texcast recover {} -o FILE",
                                             recording, static_cast<double>(needed) / 1e6, output,
                                             static_cast<double>(space.available) / 1e6, recording));
}

// Copies packets into the new file, with the old one's marks of blocks that never arrived.
class PacketCopier {
 public:
  // `journal` may be null: then there are no marks.
  PacketCopier(MuxedOutput& output, const Journal* journal, const std::atomic<bool>* stop, RecoveryReport& report)
      : output_(output), stop_(stop), report_(report) {
    if (journal == nullptr) return;
    for (const JournalRecord& record : journal->records)
      if (record.kind == JournalRecord::Kind::concealed) marks_[record.offset] = record.size;
  }

  // `is_frame`: of the first video track. No packet: it is damaged, and is left out.
  void add(const std::optional<TrackPacket>& packet, bool is_frame) {
    if (stop_ != nullptr && stop_->load()) throw Error(ErrorKind::failed, "recovery was stopped before its end");
    const auto mark = is_frame ? marks_.find(old_number_++) : marks_.end();
    if (!packet) {
      ++report_.damaged;
      return;
    }
    output_.write(*packet);
    ++report_.packets;
    if (!is_frame) return;
    if (mark != marks_.end()) output_.mark_concealed(report_.frames, mark->second);
    ++report_.frames;
    report_.duration = nanoseconds(av_rescale_q(packet->pts + packet->duration, packet->time_base, kNanoseconds));
  }

 private:
  MuxedOutput& output_;
  const std::atomic<bool>* stop_;
  RecoveryReport& report_;
  std::map<uint64_t, uint32_t> marks_;  // blocks, by the frame's number in the old file
  uint64_t old_number_ = 0;             // of the next frame there
};

// A .mov that was not closed has no index: the journal tells where its packets are, and their checksums.
class JournalledPackets {
 public:
  JournalledPackets(const std::string& recording, const Journal& journal)
      : file_(recording, std::ios::binary), bytes_(fs::file_size(recording)), journal_(journal) {}

  // Valid until the next call. Nothing if the bytes are not those that were written.
  std::optional<TrackPacket> read(const JournalRecord& record) {
    if (record.track >= journal_.header.tracks.size() || record.offset > bytes_ || record.size > bytes_ - record.offset)
      return std::nullopt;
    if (buffer_.size() < record.size) buffer_.resize(record.size);
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(record.offset));
    file_.read(reinterpret_cast<char*>(buffer_.data()), record.size);
    const Bytes bytes = Bytes(buffer_).first(record.size);
    if (static_cast<uint32_t>(file_.gcount()) != record.size || container::crc32(bytes) != record.crc)
      return std::nullopt;
    const JournalTrack& track = journal_.header.tracks[record.track];
    return TrackPacket{.track = record.track,
                       .bytes = bytes,
                       .pts = record.pts,
                       .duration = record.duration,
                       .time_base = {static_cast<int>(track.tick_num), static_cast<int>(track.tick_den)}};
  }

 private:
  std::ifstream file_;
  uintmax_t bytes_;
  const Journal& journal_;
  std::vector<std::byte> buffer_;
};

void add_tracks(MuxedOutput& output, const Journal& journal, const std::string& recording) {
  for (const JournalTrack& track : journal.header.tracks) {
    const ParametersPtr parameters(avcodec_parameters_alloc());
    if (!parameters) throw std::bad_alloc();
    if (!fill_parameters(*parameters, track))
      throw Error(ErrorKind::corrupt, fmt::format("the journal of '{}' describes an impossible track: {} {}x{}",
                                                  recording, track.codec, track.width, track.height));
    output.add_track(*parameters, {static_cast<int>(track.tick_num), static_cast<int>(track.tick_den)},
                     {static_cast<int>(track.fps_num), static_cast<int>(track.fps_den)}, track.language, track.name);
  }
}

int first_video(const Journal& journal) {
  for (size_t i = 0; i < journal.header.tracks.size(); ++i)
    if (journal.header.tracks[i].kind == JournalTrack::Kind::video) return static_cast<int>(i);
  return -1;
}

void copy_by_journal(const RecoverySettings& settings, const Journal& journal, MuxedOutput& output,
                     RecoveryReport& report) {
  add_tracks(output, journal, settings.recording);
  output.begin();
  JournalledPackets packets(settings.recording, journal);
  PacketCopier copier(output, &journal, settings.stop, report);
  const int video = first_video(journal);
  for (const JournalRecord& record : journal.records)
    if (record.kind == JournalRecord::Kind::packet) copier.add(packets.read(record), record.track == video);
}

// A track of a .mkv, which can be read without its index (each of its packets names its track), or of a complete .mov.
struct CopiedTrack {
  int number = -1;  // in the output; -1: left out
  bool is_texture = false;
  bool is_compact = false;
  uint32_t last_check = 0;                       // of the last coded frame that was copied
  std::optional<container::HapImages> images{};  // for a Hap texture track; none: its packets are the raw blocks
  std::vector<std::byte> blocks{};               // the decompressed blocks of its frames
};

// `is_mov`: the output is one.
CopiedTrack copied_track(const AVFormatContext& input, const AVStream& stream, MuxedOutput& output, bool is_mov) {
  const AVCodecParameters& p = *stream.codecpar;
  const auto codec = p.codec_type == AVMEDIA_TYPE_VIDEO ? codec_of_track(p) : std::nullopt;
  CopiedTrack track;
  track.is_compact = codec && codec->coding == FileCoding::compact;
  if (track.is_compact && is_mov)
    throw Error(ErrorKind::usage, "coded streams can only be recovered to .mkv: give an output of that extension");
  const auto number = copy_track(input, stream, output);
  if (!number) return {};
  track.number = *number;
  if (!codec) return track;
  const TextureDesc texture{.format = codec->format, .width = p.width, .height = p.height};
  track.is_texture = true;
  if (track.is_compact) return track;
  if (codec->codec == AV_CODEC_ID_HAP) track.images = container::hap_images(texture);
  track.blocks.resize(texture_layout(texture).total_bytes);
  return track;
}

Bytes bytes_of(const AVPacket& packet) {
  return std::as_bytes(std::span(packet.data, static_cast<size_t>(packet.size)));
}

bool is_whole(const AVPacket& packet, CopiedTrack& track) {
  if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0 || packet.size <= 0) return false;
  if (!track.is_texture) return true;
  if (track.is_compact) {  // one that depends on a frame that is left out is of no use
    const auto head = container::check_compact_frame(bytes_of(packet));
    if (!head || (!head->is_key && head->before != track.last_check)) return false;
    track.last_check = head->check;
    return true;
  }
  if (!track.images) return static_cast<size_t>(packet.size) == track.blocks.size();
  return container::read_hap_frame(bytes_of(packet), *track.images, track.blocks).has_value();
}

void copy_by_container(const RecoverySettings& settings, MuxedOutput& output, RecoveryReport& report) {
  const std::string& recording = settings.recording;
  int code = 0;
  const InputPtr input = open_clip_input(recording, code);
  if (!input) throw Error(ErrorKind::input, fmt::format("cannot recover '{}': {}", recording, av_reason(code)));
  const bool is_mov = recoverable_muxer(output.path()) == std::string_view("mov");
  std::vector<CopiedTrack> tracks;
  int video = -1;
  for (unsigned i = 0; i < input->nb_streams; ++i) {
    tracks.push_back(copied_track(*input, *input->streams[i], output, is_mov));
    if (video < 0 && tracks.back().is_texture) video = static_cast<int>(i);
  }
  if (video < 0)
    throw Error(ErrorKind::corrupt, fmt::format("cannot recover '{}': it has no texture track", recording));
  output.begin();

  const auto journal = journal_of(recording);
  PacketCopier copier(output, journal && *journal ? &**journal : nullptr, settings.stop, report);
  const PacketPtr packet = make_packet();
  for (; av_read_frame(input.get(), packet.get()) >= 0; av_packet_unref(packet.get())) {
    CopiedTrack& track = tracks.at(static_cast<size_t>(packet->stream_index));
    if (track.number < 0) continue;
    std::optional<TrackPacket> whole;
    if (is_whole(*packet, track))
      whole = track_packet(*packet, track.number, input->streams[packet->stream_index]->time_base);
    copier.add(whole, packet->stream_index == video);
  }
  take_last_av_line();
}

void sync_to_disk(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() || fsync(file.get()) != 0) throw_cannot_write(path, errno);
}

// Held during recovery, so that no other process recovers or replaces the recording.
Descriptor lock_journal(const std::string& recording) {
  Descriptor journal(open(journal_path(recording).c_str(), O_RDWR | O_CLOEXEC));
  if (journal.valid() && flock(journal.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(ErrorKind::usage, fmt::format("'{}' is still being recorded; stop that first", recording));
  return journal;
}

// A leftover of a killed `recover` beside the recording, which is unchanged, is overwritten. A finished file of that
// name belongs to somebody else.
std::shared_ptr<OutputClaim> claim_for(const RecoverySettings& settings) {
  if (!settings.output.empty()) return OutputClaim::take(settings.output, settings.if_exists);
  const std::string beside = name_beside(settings.recording);
  const bool is_ours = recording_state(beside) == RecordingState::cut_off;
  return OutputClaim::take(beside, is_ours ? IfExists::overwrite : IfExists::number);
}

// Replaces the old file by the new one, and its journal, which only a recording with marks has.
void replace(const std::string& recording, const std::string& new_path) {
  sync_to_disk(new_path);
  std::error_code error;
  fs::rename(new_path, recording, error);
  if (error) throw_cannot_write(recording, error.value());
  if (fs::exists(journal_path(new_path)))
    fs::rename(journal_path(new_path), journal_path(recording), error);
  else
    fs::remove(journal_path(recording), error);
}

Journal readable_journal(const std::string& recording) {
  auto journal = journal_of(recording);
  if (!journal)
    throw Error(ErrorKind::input,
                fmt::format("cannot recover '{}': its journal '{}' is missing", recording, journal_path(recording)));
  if (!*journal)
    throw Error(ErrorKind::input, fmt::format("cannot recover '{}': '{}': {}", recording, journal_path(recording),
                                              journal->error().message));
  return std::move(**journal);
}

void check_recoverable(const std::string& recording, const std::string& output) {
  std::error_code ignored;
  if (!fs::is_regular_file(recording, ignored))
    throw Error(ErrorKind::input, fmt::format("cannot recover '{}': no such file", recording));
  if (!output.empty() && fs::equivalent(recording, output, ignored))
    throw Error(ErrorKind::usage, fmt::format("{} is the recording itself: give another output, or none to "
                                              "have the recording replaced once all is written",
                                              output));
}

// Whether the index exists already: the program was stopped after writing it, before the journal was removed.
bool is_complete(const std::string& recording) {
  return recoverable_muxer(recording) == std::string_view("mov")
             ? is_muxed_clip(recording)
             : recording_state(recording) == RecordingState::complete;
}

}  // namespace

RecoveryReport recover_recording(const RecoverySettings& settings) {
  const std::string& recording = settings.recording;
  check_recoverable(recording, settings.output);
  const Descriptor lock = lock_journal(recording);
  const bool is_mov = recoverable_muxer(recording) == std::string_view("mov");
  RecoveryReport report{.output = settings.output.empty() ? recording : settings.output};
  report.was_complete = is_complete(recording);
  if (settings.output.empty() && report.was_complete) {
    const auto marks = concealed_in(recording);
    std::error_code ignored;
    if (!marks || marks->frames == 0) fs::remove(journal_path(recording), ignored);
    return report;
  }
  const char* muxer = recoverable_muxer(report.output);
  // A .mov with its index does not need the journal.
  const bool by_journal = is_mov && !report.was_complete;
  const std::optional<Journal> journal = by_journal ? std::optional(readable_journal(recording)) : std::nullopt;
  const auto claim = claim_for(settings);
  const std::string& new_path = claim->path();
  check_room(recording, new_path);
  MuxedOutput output(claim, muxer);
  try {
    if (by_journal)
      copy_by_journal(settings, *journal, output, report);
    else
      copy_by_container(settings, output, report);
    if (report.frames == 0)
      throw Error(ErrorKind::corrupt,
                  fmt::format("no frame of '{}' is intact ({} are damaged)", recording, report.damaged));
    if (report.damaged > 0) report.was_complete = false;
    report.bytes = output.finish();
  } catch (...) {
    discard_recording(new_path);
    throw;
  }
  if (settings.output.empty())
    replace(recording, new_path);
  else
    report.output = new_path;
  return report;
}

}  // namespace texcast::media
