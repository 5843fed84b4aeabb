#include "files/picture_encoders.h"

#include <algorithm>
#include <utility>

namespace texcast::cli {
namespace {

bool same_kind(const EncoderSettings& a, const EncoderSettings& b) {
  return a.source == b.source && a.texture == b.texture && a.quality == b.quality && a.method == b.method &&
         a.options == b.options && a.device == b.device && a.tune == b.tune;
}

bool same_levels(const std::optional<stream::MipSettings>& a, const std::optional<stream::MipSettings>& b) {
  if (!a || !b) return !a && !b;
  return a->filter == b->filter && a->normals == b->normals && a->separate_alpha == b->separate_alpha;
}

}  // namespace

std::unique_ptr<PictureEncoder> PictureEncoders::take(const EncoderSettings& settings,
                                                      std::optional<stream::MipSettings> filter) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        free_, [&](const auto& one) { return same_levels(one->filter, filter) && same_kind(one->settings, settings); });
    if (found != free_.end()) {
      auto taken = std::move(*found);
      free_.erase(found);
      return taken;
    }
  }
  const std::lock_guard lock(making_);
  auto made = std::make_unique<PictureEncoder>(
      PictureEncoder{.settings = settings, .filter = filter, .encoder = make_encoder(settings), .mips = {}});
  if (filter) made->mips = std::make_unique<stream::MipEncoder>(settings, *filter, mip_threads_);
  return made;
}

void PictureEncoders::give_back(std::unique_ptr<PictureEncoder> encoder) {
  std::unique_ptr<PictureEncoder> dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  free_.push_front(std::move(encoder));
  if (free_.size() <= most_kept_) return;
  dropped = std::move(free_.back());
  free_.pop_back();
}

}  // namespace texcast::cli
