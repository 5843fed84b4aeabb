#include "demuxed_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "base/log.h"
#include "media/ffmpeg.h"
#include "media/recording_state.h"
#include "media/texture_codecs.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr std::chrono::seconds kPatience(10);  // how long a network may send nothing
// Packets of the picture that wait for the sound of the same time.
constexpr size_t kMostWaitingBytes = size_t{128} << 20;
// Sound is read until a little after the frame, so that the next piece is there when it is due.
constexpr nanoseconds kSoundAhead = std::chrono::milliseconds(20);

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::input, message); }

// Whether the file begins like a QuickTime file: FFmpeg may have taken it for one by its name alone.
bool starts_with_atom(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[8] = {};
  file.read(start, sizeof start);
  constexpr std::array<std::string_view, 6> kAtoms = {"ftyp", "moov", "mdat", "wide", "free", "skip"};
  return file && std::find(kAtoms.begin(), kAtoms.end(), std::string_view(start + 4, 4)) != kAtoms.end();
}

bool is_empty_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && std::filesystem::file_size(path, ignored) == 0;
}

constexpr const char* kIndexHint =
    ": the index of this .mov or .mp4 is at its end, and a pipe cannot go back from there; name the file, or write "
    ".mkv "
    "or nut (`ffmpeg … -f nut -`)";

bool lacks_index(const std::string& line) { return line.find("moov atom not found") != std::string::npos; }

// The same for a pipe.
[[noreturn]] void fail_to_read_pipe(const std::string& name, bool is_empty, const std::string& line) {
  if (is_empty)
    fail(
        fmt::format("cannot read '{}': it ended before the first byte; the program that writes it has failed or wrote "
                    "nothing",
                    name));
  if (lacks_index(line)) fail(fmt::format("cannot read '{}'{}", name, kIndexHint));
  fail(fmt::format(
      "cannot read '{}': it is not a video or image that FFmpeg detects ({}); raw frames cannot be detected: "
      "write nut, .mkv or y4m (`ffmpeg … -f nut -`)",
      name, line));
}

// Throws an error that says what a person can do about an input that does not open.
[[noreturn]] void fail_to_open(const InputSpec& spec, int code) {
  const std::string line = av_reason(code);
  if (is_empty_file(spec.shown)) fail(fmt::format("cannot open '{}': the file is empty", spec.shown));
  if (const auto advice = spec.demuxer ? std::nullopt : advice_for(spec.shown))
    fail(fmt::format("cannot open '{}': {}", spec.shown, *advice));
  const bool has_no_moov = lacks_index(line);
  if (has_no_moov && starts_with_atom(spec.shown))
    fail(
        fmt::format("cannot open '{}': moov atom not found: the file is truncated or was never finished; copy or "
                    "record it again",
                    spec.shown));
  if (spec.demuxer) fail(fmt::format("cannot open '{}': {}", spec.shown, line));
  if (code == AVERROR(ENOENT))
    fail(
        fmt::format("cannot open '{}': no such file; check the path (other inputs are test, screen, lavfi:GRAPH, "
                    "DEMUXER::DEVICE)",
                    spec.shown));
  if (code == AVERROR_PROTOCOL_NOT_FOUND)
    fail(fmt::format("cannot open '{}': FFmpeg has no such protocol; `ffmpeg -protocols` lists those it has",
                     spec.shown));
  if (code == AVERROR_INVALIDDATA || has_no_moov)
    fail(fmt::format("cannot open '{}': it is not a video or image that FFmpeg opens ({})", spec.shown,
                     av_error_text(code)));
  if (code == AVERROR_EXIT)
    fail(fmt::format("cannot open '{}': nothing arrived for {} s; check the address and that there is a sender",
                     spec.shown, std::chrono::duration_cast<std::chrono::seconds>(kPatience).count()));
  fail(fmt::format("cannot open '{}': {}", spec.shown, line));
}

// Checked before memory for a whole texture is allocated.
bool can_hold(const std::string& path, const TextureDesc& texture) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  return unknown || bytes >= container::least_compact_bytes(texture);
}

// FFmpeg draws text files as a terminal would show them, which is never wanted here.
bool shows_plain_text(const AVFormatContext& input) { return std::string_view(input.iformat->name) == "tty"; }

// Whether a file's demuxer returns one image. `stream`: its picture.
bool has_one_image(const AVFormatContext& input, const AVStream& stream) {
  const std::string_view demuxer = input.iformat->name;
  if (demuxer.ends_with("_pipe")) return true;         // FFmpeg's demuxers of single images, or of many in a pipe
  return demuxer == "image2" && stream.duration <= 1;  // a sequence has one tick per file
}

// To probe an image, FFmpeg decodes it, and then it is decoded again. Its decoder tells everything that is needed.
bool needs_no_probing(const AVFormatContext& input) {
  return input.nb_streams == 1 && input.streams[0]->codecpar->codec_id != AV_CODEC_ID_NONE &&
         has_one_image(input, *input.streams[0]);
}

}  // namespace

DemuxedInput::DemuxedInput(InputSpec spec) : spec_(std::move(spec)), packet_(make_packet()) {
  set_up_ffmpeg();
  open();
}

void DemuxedInput::open() {
  open_context();
  const auto fail_here = [&](int code) {
    if (is_stopped()) fail(fmt::format("cannot open '{}': interrupted before it could be read", spec_.shown));
    if (pipe_) fail_to_read_pipe(spec_.shown, pipe_->is_empty(), av_reason(code));
    fail_to_open(spec_, code);
  };
  take_last_av_line();
  Options options;
  for (const auto& [key, value] : spec_.options) options.set(key.c_str(), value.c_str());
  wait_no_longer_than(kPatience);
  AVFormatContext* raw = input_.release();  // is freed if it cannot be opened
  const int opened = avformat_open_input(&raw, spec_.url.c_str(), spec_.demuxer, options.out());
  if (opened < 0) fail_here(opened);
  input_.reset(raw);
  if (shows_plain_text(*input_) && !spec_.demuxer) fail_here(AVERROR_INVALIDDATA);
  if (pipe_ || !needs_no_probing(*input_))
    if (const int code = avformat_find_stream_info(input_.get(), nullptr); code < 0 || is_stopped()) fail_here(code);

  stream_index_ = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (stream_index_ < 0 && pipe_)
    fail_to_read_pipe(spec_.shown, false, fmt::format("read as {}, it has no pictures", input_->iformat->name));
  if (stream_index_ < 0)
    fail(fmt::format("cannot open '{}': it is not a video or image that FFmpeg opens (read as {}, it has no pictures)",
                     spec_.shown, input_->iformat->name));
  choose_tracks();
  open_decoder();
}

// Makes input_ ready to be opened.
void DemuxedInput::open_context() {
  if (spec_.is_pipe() && !pipe_) pipe_ = std::make_unique<DescriptorInput>(spec_, [this] { return is_stopped(); });
  input_.reset(avformat_alloc_context());
  if (!input_) throw std::bad_alloc();
  input_->interrupt_callback = {is_overdue, this};
  if (spec_.is_device) {
    // A device reports its frame rate. To measure it FFmpeg would read frames, and these would come late, all at once.
    input_->flags |= AVFMT_FLAG_NOBUFFER;
    input_->fps_probe_size = 0;
  }
  if (!pipe_) return;
  input_->pb = pipe_->context();
  input_->flags |= AVFMT_FLAG_CUSTOM_IO;
}

// The picture, and the sound if it is kept.
void DemuxedInput::choose_tracks() {
  std::vector<SoundTrack> tracks;
  sound_streams_.clear();
  for (unsigned i = 0; i < input_->nb_streams; ++i) {
    AVStream& one = *input_->streams[i];
    if (static_cast<int>(i) == stream_index_) continue;
    const bool is_kept = spec_.keeps_sound && one.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    if (!is_kept) {
      one.discard = AVDISCARD_ALL;
      continue;
    }
    SoundTrack track{.parameters = ParametersPtr(avcodec_parameters_alloc()),
                     .time_base = one.time_base,
                     .language = metadata_of(one.metadata, "language")};
    if (!track.parameters || avcodec_parameters_copy(track.parameters.get(), one.codecpar) < 0) throw std::bad_alloc();
    tracks.push_back(std::move(track));
    sound_streams_.push_back(static_cast<int>(i));
  }
  if (sound_)
    sound_->begin_pass();
  else if (!tracks.empty())
    sound_ = std::make_shared<SoundQueue>(std::move(tracks), spec_.shown);
}

void DemuxedInput::open_decoder() {
  const AVCodecParameters& parameters = *stream().codecpar;
  if (const auto texture = codec_of_track(parameters); texture && texture->coding == FileCoding::compact) {
    if (!can_hold(spec_.shown, {.format = texture->format, .width = parameters.width, .height = parameters.height}))
      fail(fmt::format("cannot open '{}': it claims frames of {}x{}, more than its size can hold", spec_.shown,
                       parameters.width, parameters.height));
    compact_.emplace(parameters, texture->format);
    return;
  }
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  if (!codec)
    fail(fmt::format("cannot decode '{}': this FFmpeg has no decoder for {}", spec_.shown,
                     avcodec_get_name(parameters.codec_id)));
  decoder_.reset(avcodec_alloc_context3(codec));
  if (!decoder_) throw std::bad_alloc();
  avcodec_parameters_to_context(decoder_.get(), &parameters);
  decoder_->pkt_timebase = stream().time_base;
  decoder_->thread_count = is_image() ? 1 : 0;
  buffers_.attach(*decoder_);
  // Frame threads delay the picture by as many frames, so live inputs use threads within a frame.
  if (spec_.is_live) {
    decoder_->thread_type = FF_THREAD_SLICE;
    decoder_->flags |= AV_CODEC_FLAG_LOW_DELAY;
  }
  if (const int code = avcodec_open2(decoder_.get(), codec, nullptr); code < 0)
    fail(fmt::format("cannot decode '{}': {}", spec_.shown, av_reason(code)));
}

void DemuxedInput::reopen() {
  if (pipe_) fail(fmt::format("'{}' can be read only once: it cannot start over", spec_.shown));
  decoder_.reset();
  compact_.reset();
  input_.reset();
  read_ = {};
  waiting_.clear();
  waiting_bytes_ = 0;
  end_code_.reset();
  open();
}

void DemuxedInput::count_damage(const std::string& reason, int64_t frames) {
  if (is_settling_) return;
  damage_.add(frames, reason);
  log_debug("{}: {} damaged or missing: {}", spec_.shown, frames, reason);
}

// Counts frames that the end of the input shows to be missing.
void DemuxedInput::look_at_end(int code) {
  if (is_stopped()) return;
  const std::string reason = end_said_.empty() ? av_error_text(code) : end_said_;
  if (code != AVERROR_EOF) log_warning("{}: reading stopped: {}", spec_.shown, reason);
  if (spec_.is_live) return;
  is_settling_ = false;
  const int64_t missing = frames_behind_end(*input_, stream(), read_, spec_.shown);
  if (missing > 0)
    count_damage("the file ends before it", missing);
  else if (code != AVERROR_EOF)
    count_damage("reading stopped there: " + reason);
  if (const int64_t others = spec_.demuxer || pipe_ ? 0 : frames_in_joined_files(*input_, spec_.shown); others > 0)
    count_damage("it is in a file that was appended to the first one, and FFmpeg reads only that", others);
  damage_before_end_ = ends_inside_packet(*input_) ? std::optional(damage_.frames()) : std::nullopt;
}

void DemuxedInput::look_at_first(const AVFrame& frame) {
  gave_frame_ = true;
  const int64_t counted = std::min(before_key_, damage_.frames());  // those that the decoder complained about
  if (frame.key_frame != 0 && !spec_.is_live && before_key_ > counted)
    count_damage("it is before the first key frame", before_key_ - counted);
}

void DemuxedInput::wait_no_longer_than(nanoseconds patience) { deadline_ = steady_now() + patience; }

bool DemuxedInput::is_stopped() const {
  return gives_up_ || (spec_.stop != nullptr && spec_.stop->load(std::memory_order_relaxed));
}

int DemuxedInput::is_overdue(void* self) {
  const auto& input = *static_cast<const DemuxedInput*>(self);
  return steady_now() > input.deadline_ || input.is_stopped();
}

// Reads a packet of the picture or of kept sound, and puts it where it waits. False at the end.
bool DemuxedInput::read_more() {
  for (;;) {
    wait_no_longer_than(kPatience);
    take_last_av_line();
    const int code = av_read_frame(input_.get(), packet_.get());
    if (code == AVERROR(EAGAIN)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    if (code < 0) {
      end_code_ = code;
      end_said_ = take_last_av_line();
      if (sound_) sound_->end();
      return false;
    }
    route_packet();
    return true;
  }
}

void DemuxedInput::route_packet() {
  if (packet_->stream_index == stream_index_) {
    const int64_t stamp = packet_->dts != AV_NOPTS_VALUE ? packet_->dts : packet_->pts;
    if (sound_ && stamp != AV_NOPTS_VALUE)
      sound_->on_picture(nanoseconds(av_rescale_q(stamp, stream().time_base, kNanoseconds)));
    waiting_bytes_ += static_cast<size_t>(packet_->size);
    waiting_.push_back(std::exchange(packet_, make_packet()));
    return;
  }
  const auto track = std::find(sound_streams_.begin(), sound_streams_.end(), packet_->stream_index);
  if (track != sound_streams_.end())
    sound_->put(static_cast<size_t>(track - sound_streams_.begin()), std::exchange(packet_, make_packet()));
  else
    av_packet_unref(packet_.get());
}

// Reads ahead until the sound of the frame has come.
void DemuxedInput::read_sound_for(const AVFrame& frame) {
  if (!sound_ || spec_.is_live || frame.best_effort_timestamp == AV_NOPTS_VALUE) return;
  const auto in_time = [&](int64_t ticks) {
    return nanoseconds(av_rescale_q(ticks, stream().time_base, kNanoseconds));
  };
  const nanoseconds nominal = fps() > 0 ? nanoseconds(static_cast<int64_t>(1e9 / fps())) : nanoseconds{};
  const nanoseconds end = in_time(frame.best_effort_timestamp) +
                          std::max(nominal, in_time(std::max<int64_t>(frame.pkt_duration, 0))) + kSoundAhead;
  while (!end_code_ && waiting_bytes_ < kMostWaitingBytes && sound_->known() < end) read_more();
  if (sound_->known() >= end) return;
  sound_->give_up_before(end);
  if (!std::exchange(warned_of_late_sound_, true) && !is_stopped())
    log_warning("{}: its sound comes more than {} MiB after the picture, too late to be used there", spec_.shown,
                kMostWaitingBytes >> 20);
}

void DemuxedInput::forget_sound_before(nanoseconds from_start) {
  if (sound_) sound_->forget_before(start_time() + from_start);
}

// Moves the next packet of the video into packet_, as far as it is complete; false at the end.
bool DemuxedInput::read_packet() {
  for (;;) {
    if (waiting_.empty()) {
      if (!end_code_ && read_more()) continue;
      look_at_end(*end_code_);
      return false;
    }
    packet_ = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= static_cast<size_t>(packet_->size);
    read_.add(*packet_);
    if (is_cut_short(*input_, *packet_)) {
      av_packet_unref(packet_.get());
      count_damage("the file ends inside it");
      continue;
    }
    key_seen_ = key_seen_ || (packet_->flags & AV_PKT_FLAG_KEY) != 0;
    if (!key_seen_) ++before_key_;
    return true;
  }
}

// Sends one packet to the decoder, or the end of the input. False if the decoder takes nothing any more.
bool DemuxedInput::feed() {
  for (;;) {
    if (!read_packet()) return avcodec_send_packet(decoder_.get(), nullptr) >= 0;
    decoder_->reordered_opaque = ++packets_;
    const int sent = avcodec_send_packet(decoder_.get(), packet_.get());
    av_packet_unref(packet_.get());
    if (sent >= 0) return true;
    if (sent == AVERROR_EOF) return false;
    count_damage(av_reason(sent));
  }
}

bool DemuxedInput::next_compact(AVFrame& frame) {
  while (read_packet()) {
    const std::string damage = compact_->decode(*packet_, frame);
    av_packet_unref(packet_.get());
    if (damage.empty()) {
      is_settling_ = false;
      gave_frame_ = true;
      return true;
    }
    count_damage(damage);
  }
  return false;
}

bool DemuxedInput::next(AVFrame& frame) {
  if (!next_undamaged(frame)) return false;
  read_sound_for(frame);
  return true;
}

bool DemuxedInput::next_undamaged(AVFrame& frame) {
  if (compact_) return next_compact(frame);
  for (;;) {
    const int code = avcodec_receive_frame(decoder_.get(), &frame);
    if (code == AVERROR_EOF) {
      if (std::exchange(damage_before_end_, std::nullopt) == damage_.frames())
        count_damage("the file ends inside a packet of its transport stream");
      return false;
    }
    if (code == AVERROR(EAGAIN)) {
      if (!feed()) return false;
      continue;
    }
    if (code < 0) {
      count_damage(av_reason(code));
      continue;
    }
    const auto complaint = buffers_.take_complaint(frame.reordered_opaque);
    const bool is_damaged = complaint || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0;
    if (!is_damaged || is_image()) {
      if (is_damaged) count_damage(complaint.value_or("it is damaged"));
      is_settling_ = false;
      if (!gave_frame_) look_at_first(frame);
      return true;
    }
    count_damage(complaint.value_or("references are missing, or it is damaged"));
    av_frame_unref(&frame);
  }
}

bool DemuxedInput::seek(nanoseconds from_start) {
  if (pipe_ && !pipe_->can_seek()) return false;
  const int64_t start = stream().start_time == AV_NOPTS_VALUE ? 0 : stream().start_time;
  const int64_t target = start + av_rescale_q(from_start.count(), kNanoseconds, stream().time_base);
  if (av_seek_frame(input_.get(), stream_index_, target, AVSEEK_FLAG_BACKWARD) < 0) {
    take_last_av_line();
    return false;
  }
  if (compact_)
    compact_->restart();
  else
    avcodec_flush_buffers(decoder_.get());
  read_ = {};
  waiting_.clear();
  waiting_bytes_ = 0;
  end_code_.reset();
  if (sound_) sound_->begin_pass();
  is_settling_ = from_start > nanoseconds(0);
  key_seen_ = true;  // seeks go to key frames
  return true;
}

AVRational DemuxedInput::aspect_of(AVFrame& frame) const {
  return av_guess_sample_aspect_ratio(input_.get(), const_cast<AVStream*>(&stream()), &frame);
}

std::optional<nanoseconds> DemuxedInput::time_of(const AVFrame& frame) const {
  if (frame.best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
  const int64_t start = stream().start_time == AV_NOPTS_VALUE ? 0 : stream().start_time;
  return nanoseconds(av_rescale_q(frame.best_effort_timestamp - start, stream().time_base, kNanoseconds));
}

nanoseconds DemuxedInput::start_time() const {
  const int64_t start = stream().start_time == AV_NOPTS_VALUE ? 0 : stream().start_time;
  return nanoseconds(av_rescale_q(start, stream().time_base, kNanoseconds));
}

FilterTime DemuxedInput::filter_time() const {
  return {.time_base = stream().time_base,
          .frame_rate = av_guess_frame_rate(input_.get(), const_cast<AVStream*>(&stream()), nullptr)};
}

double DemuxedInput::fps() const {
  const AVRational rate = filter_time().frame_rate;
  return rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
}

std::optional<int64_t> DemuxedInput::frame_count() const {
  if (is_image()) return 1;
  if (pipe_ && !pipe_->can_seek()) return std::nullopt;  // its writer may not have known
  return stream().nb_frames > 0 ? std::optional(stream().nb_frames) : std::nullopt;
}

std::optional<nanoseconds> DemuxedInput::length() const {
  if (pipe_) return std::nullopt;
  if (stream().duration > 0) return nanoseconds(av_rescale_q(stream().duration, stream().time_base, kNanoseconds));
  if (input_->duration <= 0) return std::nullopt;
  const int64_t begin = input_->start_time == AV_NOPTS_VALUE ? 0 : input_->start_time;
  return std::chrono::microseconds(begin + input_->duration) - start_time();
}

std::string DemuxedInput::hint() const {
  const bool is_mov = std::string_view(input_->iformat->name).starts_with("mov");
  return is_mov && pipe_ && !pipe_->can_seek() ? kIndexHint : "";
}

bool DemuxedInput::is_image() const {
  if ((stream().disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) return true;
  return !(spec_.is_pipe() && std::string_view(input_->iformat->name).ends_with("_pipe")) &&
         has_one_image(*input_, stream());
}

}  // namespace texcast::media
