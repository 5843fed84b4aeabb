// play_report.h — what `play` tells of a source that it showed, for people, --json and --stats-json.
#pragma once

#include "play_source.h"
#include "player/player.h"
#include "stream/stats_log.h"
#include "text/json_text.h"

namespace texcast::cli {

stream::StatsLine stats_line(const PlaySource& source, const player::PlayerReport& report);

// After the source has ended; `recording` is empty where nothing was recorded.
Json play_json(const PlayOptions& options, const PlaySource& source, const player::PlayerReport& report,
               const stream::RecordingReport& recording);
void print_play_report(const PlayOptions& options, const PlaySource& source, const player::PlayerReport& report,
                       const stream::RecordingReport& recording);
// One line, for a source among several.
void print_play_row(const PlaySource& source, const player::PlayerReport& report);

}  // namespace texcast::cli
