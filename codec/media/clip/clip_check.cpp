#include "media/clip_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "container/block_check.h"
#include "container/hap_frame.h"
#include "media/ffmpeg.h"
#include "media/files.h"

namespace texcast::media {
namespace {

// The reader's message without the names of file and frame, which are reported separately.
std::string reason_of(const std::string& message) {
  constexpr std::string_view kMark = "is damaged: ";
  const size_t at = message.find(kMark);
  return at == std::string::npos ? message : message.substr(at + kMark.size());
}

using GoOn = std::function<bool(int64_t frames)>;

class Checker {
 public:
  Checker(ClipReader& clip, const GoOn& go_on)
      : clip_(clip),
        go_on_(go_on),
        bytes_(texture_layout(clip.info().texture).total_bytes),
        is_hap_(clip.info().coding == FileCoding::plain && !is_still(clip.info().container) &&
                format_row(clip.info().texture.format).track.kind != TrackKind::raw) {}

  // False at the end of the file, and if the caller stops the check.
  bool take_frame() {
    const auto stored = clip_.next_stored();
    if (stored && !*stored) return false;
    if (!stored)
      damaged(reason_of(stored.error().message), std::nullopt);
    else
      look_at(**stored);
    ++report_.frames;
    return may_go_on();
  }

  // Reports frames that the file claims to have but does not.
  void look_at_end() {
    if (report_.stopped) return;
    const ClipInfo& info = clip_.info();
    if (info.frame_count && *info.frame_count > report_.frames) {
      const int64_t missing = *info.frame_count - report_.frames;
      damaged("the file ends before it", std::nullopt, missing);
      report_.frames += missing;
    } else if (const std::string line = take_last_av_line(); !info.frame_count && !line.empty()) {
      damaged("the file ends before it or inside it: " + line, std::nullopt);
      ++report_.frames;
    }
  }

  ClipCheck report() && { return std::move(report_); }

 private:
  bool may_go_on() {
    if (go_on_ && !go_on_(report_.frames)) report_.stopped = true;
    return !report_.stopped;
  }

  void damaged(std::string reason, std::optional<nanoseconds> pts, int64_t count = 1) {
    report_.damaged += count;
    list(report_.damage, std::move(reason), pts, count);
  }
  void list(std::vector<DamagedFrames>& lines, std::string reason, std::optional<nanoseconds> pts, int64_t count = 1) {
    if (lines.size() == ClipCheck::kMostListed) return;
    lines.push_back(
        {.first = report_.frames, .count = count, .pts = pts.value_or(usual_time()), .reason = std::move(reason)});
  }

  nanoseconds usual_time() const {
    const double fps = clip_.info().fps;
    return fps > 0 ? nanoseconds(std::llround(static_cast<double>(report_.frames) * 1e9 / fps)) : nanoseconds{};
  }

  void look_at(const StoredFrame& frame) {
    const bool is_late = last_pts_ && frame.pts < *last_pts_;
    last_pts_ = frame.pts;
    if (is_hap_ && container::most_hap_blocks(static_cast<size_t>(std::max<int64_t>(0, frame.stored_bytes))) < bytes_)
      return damaged(fmt::format("{} stored bytes are too few for the {} bytes of a frame", frame.stored_bytes, bytes_),
                     frame.pts);
    bool is_whole = true, is_shown = true, is_first = true;
    clip_.each_image(frame, [&](const StillPart& part, const Result<TextureView>& image) {
      ++report_.images;
      const auto found = image ? container::look_at_blocks(*image)
                               : container::BlockFindings{.illegal = reason_of(image.error().message)};
      if (found.illegal) list(report_.damage, place_of(part) + *found.illegal, frame.pts);
      if (found.unshown) list(report_.notes, place_of(part) + *found.unshown, frame.pts);
      is_whole = is_whole && !found.illegal;
      is_shown = is_shown && !found.unshown;
      return std::exchange(is_first, false) || may_go_on();
    });
    if (!is_shown) ++report_.unshown;
    if (is_whole && is_late) return damaged("its time stamp is before that of the previous frame", frame.pts);
    if (!is_whole) ++report_.damaged;
  }

  // The image among several: "level 1, layer 2, face 3: ".
  std::string place_of(const StillPart& part) const {
    const ClipInfo& info = clip_.info();
    std::string place;
    const auto say = [&](const char* what, int number, int count) {
      if (count > 1 || number > 0) place += fmt::format("{}{} {}", place.empty() ? "" : ", ", what, number);
    };
    say("level", part.level, info.levels);
    say("layer", part.layer, info.layers);
    say("face", part.face, info.faces);
    return place.empty() ? place : place + ": ";
  }

  ClipReader& clip_;
  const GoOn& go_on_;
  const size_t bytes_;
  const bool is_hap_;
  std::optional<nanoseconds> last_pts_;
  ClipCheck report_;
};

}  // namespace

ClipCheck check_clip(ClipReader& clip, const std::function<bool(int64_t frames)>& go_on) {
  take_last_av_line();
  Checker checker(clip, go_on);
  while (checker.take_frame()) continue;
  checker.look_at_end();
  return std::move(checker).report();
}

}  // namespace texcast::media
