#include "media/clip_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "container/block_check.h"
#include "container/hap_frame.h"
#include "media/ffmpeg.h"
#include "media/files.h"

namespace texcast::media {
namespace {

// The reader's message without the names of file and frame, which are told apart.
std::string reason_of(const std::string& message) {
  constexpr std::string_view kMark = "is damaged: ";
  const size_t at = message.find(kMark);
  return at == std::string::npos ? message : message.substr(at + kMark.size());
}

class Checker {
 public:
  explicit Checker(ClipReader& clip)
      : clip_(clip),
        bytes_(texture_layout(clip.info().texture).total_bytes),
        is_hap_(clip.info().coding == FileCoding::plain && !is_still(clip.info().container) &&
                format_row(clip.info().texture.format).track.kind != TrackKind::raw) {}

  void damaged(std::string reason, std::optional<nanoseconds> pts, int64_t count = 1) {
    report_.damaged += count;
    list(report_.damage, std::move(reason), pts, count);
  }

  // False at the end of the file.
  bool take_frame() {
    const auto stored = clip_.next_stored();
    if (stored && !*stored) return false;
    if (!stored)
      damaged(reason_of(stored.error().message), std::nullopt);
    else if (const auto wrong = look_at(**stored); !wrong.empty())
      damaged(wrong, (*stored)->pts);
    ++report_.frames;
    return true;
  }

  // What the file says that it has, and does not.
  void look_at_end() {
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
  int64_t frames() const { return report_.frames; }
  void stopped() { report_.stopped = true; }

 private:
  void list(std::vector<DamagedFrames>& lines, std::string reason, std::optional<nanoseconds> pts, int64_t count = 1) {
    if (lines.size() == ClipCheck::kMostListed) return;
    lines.push_back(
        {.first = report_.frames, .count = count, .pts = pts.value_or(usual_time()), .reason = std::move(reason)});
  }

  nanoseconds usual_time() const {
    const double fps = clip_.info().fps;
    return fps > 0 ? nanoseconds(std::llround(static_cast<double>(report_.frames) * 1e9 / fps)) : nanoseconds{};
  }

  // Empty where nothing is wrong.
  std::string look_at(const StoredFrame& frame) {
    const bool is_late = !last_pts_ || frame.pts >= *last_pts_;
    last_pts_ = frame.pts;
    if (is_hap_ && container::most_hap_blocks(static_cast<size_t>(std::max<int64_t>(0, frame.stored_bytes))) < bytes_)
      return fmt::format("{} bytes cannot hold the {} bytes of a frame", frame.stored_bytes, bytes_);
    blocks_.resize(bytes_);
    if (const auto unpacked = clip_.unpack(frame, blocks_); !unpacked) return reason_of(unpacked.error().message);
    const auto blocks = container::look_at_blocks({clip_.info().texture, blocks_});
    if (blocks.unshown) {
      ++report_.unshown;
      list(report_.notes, *blocks.unshown, frame.pts);
    }
    if (blocks.illegal) return *blocks.illegal;
    return is_late ? "" : "its time stamp is before that of the frame before";
  }

  ClipReader& clip_;
  const size_t bytes_;
  const bool is_hap_;
  std::vector<std::byte> blocks_;
  std::optional<nanoseconds> last_pts_;
  ClipCheck report_;
};

}  // namespace

ClipCheck check_clip(ClipReader& clip, const std::function<bool(int64_t frames)>& go_on) {
  take_last_av_line();
  Checker checker(clip);
  while (checker.take_frame())
    if (go_on && !go_on(checker.frames())) {
      checker.stopped();
      return std::move(checker).report();
    }
  checker.look_at_end();
  return std::move(checker).report();
}

}  // namespace texcast::media
