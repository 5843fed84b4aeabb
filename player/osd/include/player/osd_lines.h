// osd_lines.h — the texts of the on-screen display about the feed and the run. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/feed.h"
#include "player/presenter.h"
#include "player/report.h"

namespace texcast::player {

// Pointers are borrowed for the call.
struct OsdFacts {
  std::string title{};
  std::string renderer{};
  std::string shown_as{};  // Presenter::shown_as()
  ListPlace place{};
  const TextureDesc* texture = nullptr;  // of the picture on the screen, null before the first
  const ShownFrame* frame = nullptr;
  const PlayerReport* report = nullptr;
  Playback playback{};
  ScaleMode scale = ScaleMode::fit;
  int width = 0;  // of the window, pixels; 0: not known
  int height = 0;
};

// One fact per line, "name\tvalue". Rates, losses and latencies are of the last second, which is what a person sees
// now.
std::vector<std::string> osd_lines(const OsdFacts& facts, const std::vector<FeedStat>& stats);

// The title of a window says what it shows, and in which state: "192.168.1.20: receiving - texcast", "show.mov: paused
// - texcast".
struct TitleFacts {
  std::string title{};   // Feed::title()
  std::string sender{};  // Feed::sender()
  ListPlace place{};
  bool is_file = false;
  bool has_picture = false;  // of this feed
  bool is_stale = false;     // a live stream shows nothing new
  bool is_preparing = false;
  bool paused = false;
  FeedState state = FeedState::waiting;
};
std::string window_title(const TitleFacts& facts);

std::string clock_text(nanoseconds time);             // "1:02:03.4"
std::string short_clock_text(nanoseconds time);       // "1:02:03", "2:03"
std::string position_text(const Playback& playback);  // "0:01:02.4 / 0:02:00.0 · frame 1560 / 3000"
std::string sound_text(const Playback& playback);     // "85 %", "85 %, muted", "none"
std::string file_name_of(const std::string& title);   // without folders; addresses of streams unchanged
// Lines of at most `columns` bytes, broken at spaces if there are any.
std::vector<std::string> wrapped(std::string_view text, size_t columns);

}  // namespace texcast::player
