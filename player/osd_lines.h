// osd_lines.h — the words of the on-screen display. Pure.
#pragma once

#include <string>
#include <vector>

#include "player/player.h"

namespace texcast::player {

struct OsdFacts {
  std::string title{};
  std::string renderer{};
  const TextureDesc* texture = nullptr;  // of the picture on the screen, null before the first
  const ShownFrame* frame = nullptr;
  const PlayerReport* report = nullptr;
  bool paused = false;
};

// One fact a line, names in a column of their own.
std::vector<std::string> osd_lines(const OsdFacts& facts, const std::vector<FeedStat>& stats);

std::string clock_text(nanoseconds time);  // "1:02:03.4"

}  // namespace texcast::player
