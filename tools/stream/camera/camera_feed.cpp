#include "stream/camera_feed.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "frames/from_rgb.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

constexpr SteadyTime kNever = SteadyTime::max();
constexpr nanoseconds kRetry = std::chrono::milliseconds(10);

}  // namespace

CameraFeed::CameraFeed(Camera& camera, std::string device) : camera_(camera), device_(std::move(device)) {
  camera_.notify([this] { wake(); });
}

void CameraFeed::put(const FrameRef& frame, double fps) {
  FrameRef before;  // released without the lock
  const std::lock_guard lock(mutex_);
  before = std::exchange(newest_.frame, frame);
  newest_.fps = fps;
  newest_.is_stale = false;
  newest_.is_new = true;
  if (!is_watched()) ++counts_.unwatched;
  woken_ = true;
  changed_.notify_one();
}

void CameraFeed::mark_stale() {
  const std::lock_guard lock(mutex_);
  newest_.is_stale = true;
  ++counts_.undecoded;
}

void CameraFeed::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_one();
}

CameraCounts CameraFeed::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

CameraFeed::Newest CameraFeed::newest() {
  const std::lock_guard lock(mutex_);
  Newest taken = newest_;
  newest_.is_new = false;
  woken_ = false;
  return taken;
}

void CameraFeed::wait_until(SteadyTime limit, Clock& clock) {
  std::unique_lock lock(mutex_);
  while (!woken_ && clock.now() < limit) clock.wait_until(changed_, lock, limit);
}

SteadyTime CameraFeed::step(SteadyTime now) {
  const Newest newest = this->newest();
  if (!newest.frame) return kNever;
  offer(newest, now);
  const auto wanted = camera_.wanted();
  const bool fits = wanted && wanted->picture.width <= newest.frame->desc.width &&
                    wanted->picture.height <= newest.frame->desc.height;
  if (wanted && !watched_) watched_since_ = now;
  watched_ = wanted.has_value();
  if (!fits) return offer_again_;  // no program reads, or another size is being negotiated
  if (newest.is_stale && now < watched_since_ + kFreshWait) return watched_since_ + kFreshWait;

  const bool is_other_format = version_ == 0 || *wanted != format_;
  if (newest.is_new && !is_other_format && is_shown(*newest.frame)) {
    const std::lock_guard lock(mutex_);
    ++counts_.unchanged;
  } else if (is_other_format || !is_shown(*newest.frame)) {
    if (!is_other_format && !is_due(*wanted, newest, now)) return next_due_;
    convert(newest, *wanted);
  }
  return send(*wanted, now);
}

void CameraFeed::offer(const Newest& newest, SteadyTime now) {
  const TextureDesc& desc = newest.frame->desc;
  const auto size = camera_size(desc.width, desc.height, newest.fps);
  if (!size) {
    if (refused_ != std::pair(desc.width, desc.height))
      log_warning("a picture of {}x{} is too small for a camera, which shows 4x2 at least", desc.width, desc.height);
    refused_ = {desc.width, desc.height};
    offer_again_ = kNever;
    return;
  }
  if (size == offered_ && now < offer_again_) return;
  offered_ = size;
  offer_again_ = camera_.offer(*size) ? kNever : now + kOfferAgain;
}

// Whether picture_ shows this frame. Frames of one sequence say what changed; others are compared.
bool CameraFeed::is_shown(const PooledFrame& frame) const {
  if (!shown_ || shown_->desc != frame.desc) return false;
  if (&*shown_ == &frame) return true;
  const RowChanges changes = frame.changes(), shown = shown_->changes();
  if (changes.know_since(shown.sequence, shown.number)) return !changes.any_since(shown.number);
  return std::ranges::equal(shown_->view().blocks, frame.view().blocks);
}

// Readers may want fewer pictures a second than the stream has.
bool CameraFeed::is_due(const CameraFormat& format, const Newest& newest, SteadyTime now) {
  constexpr double kSameRate = 0.98;
  if (format.fps <= 0 || (newest.fps > 0 && format.fps >= kSameRate * newest.fps)) return true;
  if (now < next_due_) return false;
  next_due_ = std::max(next_due_ + frame_period(format.fps), now);
  return true;
}

void CameraFeed::convert(const Newest& newest, const CameraFormat& format) {
  const PictureConversion conversion{
      .from = newest.frame->desc, .to = format.picture, .device = falls_back_ ? std::string("cpu-reference") : device_};
  try {
    if (!converter_ || conversion != conversion_) {
      converter_.reset();
      converter_ = make_picture_converter(conversion);
      conversion_ = conversion;
      log_debug("the camera's pictures are made by {}", converter_->device_name());
    }
    picture_.resize(place_tightly(format.picture).bytes);
    converter_->convert(newest.frame->view(), picture_);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_device || falls_back_ || !device_.empty()) throw;
    log_warning("{}; the CPU makes the camera's pictures instead", error.what());
    falls_back_ = true;
    converter_.reset();
    return convert(newest, format);
  }
  shown_ = newest.frame;
  format_ = format;
  ++version_;
  const std::lock_guard lock(mutex_);
  ++counts_.converted;
}

SteadyTime CameraFeed::send(const CameraFormat& format, SteadyTime now) {
  const bool is_repeated = version_ == sent_version_;
  const uint64_t joined = camera_.joined();
  if (is_repeated && joined == joined_ && now < sent_ + kRepeat) return sent_ + kRepeat;
  if (!camera_.send(format, picture_, version_)) return now + kRetry;
  joined_ = joined;
  sent_ = now;
  sent_version_ = version_;
  const std::lock_guard lock(mutex_);
  ++counts_.sent;
  if (is_repeated) ++counts_.repeated;
  return now + kRepeat;
}

}  // namespace texcast::stream
