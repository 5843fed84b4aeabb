#include "recording_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.h"
#include "texcast/error.h"

namespace texcast::stream {

RecordingParts::RecordingParts(media::RecorderSettings settings, LayoutSettings layout, Sound sound)
    : settings_([&] {
        media::RecorderSettings without_claim = settings;
        without_claim.claim = nullptr;
        return without_claim;
      }()),
      layout_(std::move(layout)),
      sound_(std::move(sound)),
      claim_(std::move(settings.claim)) {}

media::RecorderSettings RecordingParts::settings_for(const TextureDesc& texture) const {
  media::RecorderSettings settings = settings_;
  settings.texture = texture;
  settings.first_part = next_part_;
  if (settings.most_bytes > 0) settings.most_bytes = std::max<int64_t>(1, settings.most_bytes - closed_.bytes);
  return settings;
}

// A layout that the first texture does not have is an error; after a change of the stream it is ignored.
LayoutSettings RecordingParts::layout_for(const TextureDesc& texture) const {
  LayoutSettings layout = layout_;
  if (begun_ > 0 && !has_layouts(settings_.path, texture.format)) layout.layout.reset();
  return layout;
}

const std::optional<std::string>& RecordingParts::refusal(const TextureDesc& texture) {
  if (is_of(texture))
    asked_ = Asked{texture, part_->takes_more() ? std::nullopt : std::optional(media::one_image_text(settings_.path))};
  else if (!asked_ || asked_->texture != texture)
    asked_ = Asked{texture, refusal_of(texture)};
  return asked_->refusal;
}

std::optional<std::string> RecordingParts::refusal_of(const TextureDesc& texture) const {
  if (settings_.pipe && begun_ > 0)
    return fmt::format(
        "the stream has changed from {}x{} {} to {}x{} {}, but '{}' cannot change: start again for these", desc_.width,
        desc_.height, name(desc_.format), texture.width, texture.height, name(texture.format), settings_.path);
  try {
    check_holds(settings_for(texture), layout_for(texture));
    return std::nullopt;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return error.what();
  }
}

void RecordingParts::write(const PooledFrame& frame, double fps) {
  nanoseconds time{};
  if (is_of(frame.desc)) {
    time = time_.next(frame.times.pts, frame.arrived, frame_period(fps));
  } else {
    close();
    begin(frame, fps);
  }
  sound_place_.on_frame(frame.times.pts, frame.available, frame.arrived, frame.new_stream);
  write_sound();
  if (frame.concealed_blocks > 0) part_->mark_concealed(frame.concealed_blocks);
  const bool can_keep = keeps_transform_ || (keeps_lossy_ && !frame.has_transform);
  if (can_keep && last_id_ != 0 && frame.needs_id == last_id_) part_->keep(frame.payloads, frame.has_transform);
  if (!frame.samples.empty()) part_->add_samples(frame.samples);
  part_->write(frame.view(), time);
  last_id_ = frame.id;
  request_samples(frame);
}

// Requested ones come with a later frame, behind those that wait already.
void RecordingParts::request_samples(const PooledFrame& frame) {
  if (!frame.samples.empty()) frames_to_request_ = 0;
  if (frames_to_request_ > 0) --frames_to_request_;
  if (!frame.wants_samples || !frame.has_transform || frames_to_request_ > 0 || !part_->needs_samples()) return;
  frame.wants_samples->store(true);
  frames_to_request_ = kPatience;
}

void RecordingParts::begin(const PooledFrame& frame, double fps) {
  media::RecorderSettings settings = settings_for(frame.desc);
  settings.claim = std::exchange(claim_, nullptr);
  settings.fps = fps;
  settings.sound = begin_sound();
  settings.keeps_lossy = settings.coding == FileCoding::compact && frame.is_lossy;
  settings.keeps_transform = settings.keeps_lossy && frame.has_transform;
  keeps_lossy_ = settings.keeps_lossy;
  keeps_transform_ = settings.keeps_transform;
  last_id_ = 0;
  {
    const StageTimer timer(opening_);
    part_ = make_recorder(settings, layout_for(frame.desc));
  }
  ++begun_;
  asked_.reset();
  desc_ = frame.desc;
  time_.begin(frame.times.pts, frame.arrived);
}

// nullptr if no sound has arrived.
std::shared_ptr<media::RecordedSound> RecordingParts::begin_sound() {
  recorded_sound_.reset();
  const std::optional<SoundBlock> first = sound_.format();
  if (!first) return nullptr;
  recorded_format_ = first->format;
  recorded_sound_ = std::make_shared<media::RecordedSound>(recorded_format_, first->bits);
  return recorded_sound_;
}

// Places the sound that has arrived on the time line of the pictures; the recorder writes it with the frames.
void RecordingParts::write_sound() {
  bool is_left_out = false;
  std::deque<WaitingSound::Piece> pieces = sound_.take();
  for (WaitingSound::Piece& piece : pieces) {
    piece.block.samples = piece.samples;
    const bool fits = recorded_sound_ && piece.block.format.rate == recorded_format_.rate &&
                      piece.block.format.channels == recorded_format_.channels;
    const auto time = fits ? sound_place_.of(piece.block) : std::nullopt;
    if (time) recorded_sound_->put(*time - time_.zero(), piece.samples);
    is_left_out = is_left_out || !fits;
  }
  if (!is_left_out || std::exchange(sound_left_out_, true)) return;
  log_warning("{}", recorded_sound_ ? "the recording skips audio of another format than its first"
                                    : "the recording has no audio: it started after the file was opened");
}

// The recorder may write waiting frames now, and not all may fit: the report counts those that did, also after a
// failure.
void RecordingParts::close() {
  if (!part_) return;
  write_sound();
  const std::unique_ptr<media::Recorder> part = std::move(part_);
  std::exception_ptr failure;
  const media::RecorderReport done = finished(*part, failure);
  media::RecorderProgress progress = part->progress();
  progress.bytes = done.bytes;
  closed_progress_ += progress;
  closed_.frames += done.frames;
  closed_.bytes += done.bytes;
  closed_.files.insert(closed_.files.end(), done.files.begin(), done.files.end());
  next_part_ = done.next_part;
  asked_.reset();
  if (failure) std::rethrow_exception(failure);
}

media::RecorderReport RecordingParts::finished(media::Recorder& part, std::exception_ptr& failure) {
  try {
    return part.finish();
  } catch (...) {
    failure = std::current_exception();
  }
  return part.finish();
}

void RecordingParts::abandon() {
  part_.reset();
  claim_.reset();
}

media::RecorderProgress RecordingParts::progress() const {
  media::RecorderProgress progress = closed_progress_;
  if (part_) progress += part_->progress();
  progress.disk += opening_.wall - opening_.cpu;
  progress.work += opening_.cpu;
  return progress;
}

}  // namespace texcast::stream
