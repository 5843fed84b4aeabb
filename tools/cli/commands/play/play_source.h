// play_source.h — what `play` shows, by its name: a stream, a capture or a texture file; and what it tells of it, for
// people, --json and --stats-json.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/options.h"
#include "files/outputs.h"
#include "player/player.h"
#include "stream/clip_feed.h"
#include "stream/stream_feed.h"
#include "stream/stream_report.h"
#include "stream/transcoding_presenter.h"
#include "text/json_text.h"

namespace texcast::cli {

// One kind of feed or the other, and what only one of them can tell.
struct PlaySource {
  std::string name;
  std::unique_ptr<Recoveries> recoveries;  // of what was recorded before
  std::unique_ptr<stream::StreamFeed> stream;
  std::unique_ptr<stream::ClipFeed> clip;
  player::Feed& feed() { return stream ? static_cast<player::Feed&>(*stream) : *clip; }
  // One picture: nothing that could be over.
  bool is_still() const { return clip && clip->info().frame_count == 1; }
};

// Throws Error{input}, Error{corrupt} or Error{network}, which name it.
// Texture files are unpacked into upload buffers of `presenter`, which outlives the source.
PlaySource open_play_source(const PlayOptions& options, const std::string& name, player::Presenter& presenter,
                            const transport::ReceiveSettings& receive = {});

// Streams and captures: what can be recorded.
bool is_received(const std::string& name);

// ---- what is told ----

stream::StatsLine stats_line(const PlaySource& source, const player::PlayerReport& report);

// After the source has ended; `screenshot` and `recording` are empty where there is none, `transcoding` and `shown_as`
// (Presenter's) where its last picture was shown as it came.
Json play_json(const std::string& screenshot, const PlaySource& source, const player::PlayerReport& report,
               const stream::RecordingReport& recording, const std::optional<stream::Transcoding>& transcoding);
void print_play_report(const std::string& screenshot, const PlaySource& source, const player::PlayerReport& report,
                       const stream::RecordingReport& recording, const std::string& shown_as);
// One line, for a source among several.
void print_play_row(const PlaySource& source, const player::PlayerReport& report);

}  // namespace texcast::cli
