#include "media/recovery.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "media/clip_track.h"
#include "media/file_names.h"
#include "media/journal_file.h"
#include "media/journal_read.h"
#include "media/journal_tracks.h"
#include "media/muxed_output.h"
#include "remux.h"

namespace texcast::media {
namespace {

namespace fs = std::filesystem;
using container::Journal;
using container::JournalRecord;
using container::JournalTrack;

const char* recoverable_muxer(const std::string& path) {
  if (const char* muxer = muxer_of(path)) return muxer;
  throw Error(ErrorKind::usage, fmt::format("'{}': recordings are recovered to .mov or .mkv", path));
}

// "show.recovered.mov"
std::string name_beside(const std::string& recording) {
  const fs::path path(recording);
  return (path.parent_path() / (path.stem().string() + ".recovered" + path.extension().string())).string();
}

void check_room(const std::string& recording, const std::string& output) {
  constexpr uintmax_t kIndex = 16 << 20;
  std::error_code error;
  const fs::path folder = fs::path(output).parent_path();
  const fs::space_info space = fs::space(folder.empty() ? "." : folder, error);
  if (error) return;  // the writing will tell
  const uintmax_t needed = fs::file_size(recording) + kIndex;
  if (space.available >= needed) return;
  throw Error(ErrorKind::failed, fmt::format("recovering '{}' takes {:.1f} MB on the disk of '{}', where {:.1f} MB are "
                                             "free; make room, or give another disk: texcast recover {} -o FILE",
                                             recording, static_cast<double>(needed) / 1e6, output,
                                             static_cast<double>(space.available) / 1e6, recording));
}

// The packets that the journal tells of, as long as they are what was written.
class JournalledPackets {
 public:
  JournalledPackets(const std::string& recording, const Journal& journal)
      : file_(recording, std::ios::binary), bytes_(fs::file_size(recording)), journal_(journal) {}

  // Nothing where the bytes are not those that were written.
  std::optional<Bytes> read(const JournalRecord& record) {
    if (record.track >= journal_.header.tracks.size() || record.offset > bytes_ || record.size > bytes_ - record.offset)
      return std::nullopt;
    if (buffer_.size() < record.size) buffer_.resize(record.size);
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(record.offset));
    file_.read(reinterpret_cast<char*>(buffer_.data()), record.size);
    const Bytes packet = Bytes(buffer_).first(record.size);
    if (static_cast<uint32_t>(file_.gcount()) != record.size || container::crc32(packet) != record.crc)
      return std::nullopt;
    return packet;
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
      throw Error(ErrorKind::corrupt, fmt::format("the journal of '{}' describes a track that cannot be: {} {}x{}",
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

void copy_packets(MuxedOutput& output, const Journal& journal, const std::string& recording, RecoveryReport& report) {
  JournalledPackets packets(recording, journal);
  const int video = first_video(journal);
  std::map<uint64_t, uint32_t> marks;  // by frame number in the recording
  for (const JournalRecord& record : journal.records)
    if (record.kind == JournalRecord::Kind::concealed) marks[record.offset] = record.size;
  uint64_t number = 0;
  for (const JournalRecord& record : journal.records) {
    if (record.kind != JournalRecord::Kind::packet) continue;
    const bool is_frame = record.track == video;
    const auto mark = is_frame ? marks.find(number++) : marks.end();
    const auto bytes = packets.read(record);
    if (!bytes) {
      ++report.damaged;
      continue;
    }
    const JournalTrack& track = journal.header.tracks[record.track];
    const AVRational tick{static_cast<int>(track.tick_num), static_cast<int>(track.tick_den)};
    output.write(
        {.track = record.track, .bytes = *bytes, .pts = record.pts, .duration = record.duration, .time_base = tick});
    ++report.packets;
    if (!is_frame) continue;
    if (mark != marks.end()) output.mark_concealed(report.frames, mark->second);
    ++report.frames;
    report.duration = nanoseconds(av_rescale_q(record.pts + record.duration, tick, kNanoseconds));
  }
}

void sync_to_disk(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int error = descriptor < 0 || fsync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0) close(descriptor);
  if (error != 0) throw_cannot_write(path, error);
}

// The new file in the place of the old one, its journal (of marks) or none in the place of the old one's.
void replace(const std::string& recording, const std::string& fresh) {
  sync_to_disk(fresh);
  std::error_code error;
  fs::rename(fresh, recording, error);
  if (error) throw_cannot_write(recording, error.value());
  if (fs::exists(journal_path(fresh)))
    fs::rename(journal_path(fresh), journal_path(recording), error);
  else
    fs::remove(journal_path(recording), error);
}

Journal journal_to_go_by(const std::string& recording) {
  auto journal = journal_of(recording);
  if (!journal)
    throw Error(ErrorKind::input, fmt::format("cannot recover '{}': there is no '{}' beside it to go by", recording,
                                              journal_path(recording)));
  if (!*journal)
    throw Error(ErrorKind::input, fmt::format("cannot recover '{}': '{}': {}", recording, journal_path(recording),
                                              journal->error().message));
  return std::move(**journal);
}

void check_recoverable(const std::string& recording) {
  std::error_code ignored;
  if (!fs::is_regular_file(recording, ignored))
    throw Error(ErrorKind::input, fmt::format("cannot recover '{}': no such file", recording));
  if (is_being_recorded(recording))
    throw Error(ErrorKind::usage, fmt::format("'{}' is being recorded right now; stop that first", recording));
}

// Its index is there already: it was cut off between that and the removal of its journal, or never.
bool is_complete(const std::string& recording) {
  return recoverable_muxer(recording) == std::string_view("mov")
             ? is_muxed_clip(recording)
             : recording_state(recording) == RecordingState::complete;
}

}  // namespace

RecoveryReport recover_recording(const RecoverySettings& settings) {
  const std::string& recording = settings.recording;
  check_recoverable(recording);
  const bool is_mov = recoverable_muxer(recording) == std::string_view("mov");
  RecoveryReport report{.output = settings.output.empty() ? recording : settings.output};
  if (settings.output.empty() && is_complete(recording)) {
    report.was_complete = true;
    const auto marks = concealed_in(recording);
    std::error_code ignored;
    if (!marks || marks->frames == 0) fs::remove(journal_path(recording), ignored);
    return report;
  }
  const std::string fresh = settings.output.empty() ? name_beside(recording) : settings.output;
  const char* muxer = recoverable_muxer(fresh);
  const std::optional<Journal> journal = is_mov ? std::optional(journal_to_go_by(recording)) : std::nullopt;
  check_room(recording, fresh);
  try {
    MuxedOutput output(fresh, muxer);
    if (is_mov) {
      add_tracks(output, *journal, recording);
      output.begin();
      copy_packets(output, *journal, recording, report);
    } else {
      remux(recording, output, report);
    }
    if (report.frames == 0)
      throw Error(ErrorKind::corrupt, fmt::format("no frame of '{}' is whole ({} are not)", recording, report.damaged));
    report.bytes = output.finish();
  } catch (...) {
    std::error_code ignored;
    fs::remove(fresh, ignored);
    fs::remove(journal_path(fresh), ignored);
    throw;
  }
  if (settings.output.empty()) replace(recording, fresh);
  return report;
}

}  // namespace texcast::media
