// play_source.h — opens a source of `play`: a stream, a capture or a texture file; and its reports as text, --json and
// --stats-json.
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

// Holds either a StreamFeed or a ClipFeed.
struct PlaySource {
  std::string name;
  std::unique_ptr<Recoveries> recoveries;  // of earlier recordings
  std::unique_ptr<stream::StreamFeed> stream;
  std::unique_ptr<stream::ClipFeed> clip;
  player::Feed& feed() { return stream ? static_cast<player::Feed&>(*stream) : *clip; }
  // A single picture, which has no end.
  bool is_still() const { return clip && clip->info().frame_count == 1; }
};

// Throws Error{usage} with what to do if it is the address of another kind of stream, which only `send` can open.
void check_play_source(const std::string& name);

// Texture files are unpacked into upload buffers of `presenter`, which must outlive the source. Throws Error{input},
// Error{corrupt} or Error{network}, whose message names the source; Error{usage} for a file that has ended at
// `options.start`.
PlaySource open_play_source(const PlayOptions& options, const std::string& name, player::Presenter& presenter,
                            const transport::ReceiveSettings& receive = {});

// --part with --bezel.
std::optional<player::PicturePart> part_of(const PlayOptions& options);

// Whether it is a stream or capture, which can be recorded.
bool is_received(const std::string& name);

// ---- reports ----

stream::StatsLine stats_line(const PlaySource& source, const player::PlayerReport& report);

// After the source has ended. `screenshot` and `recording` are empty if there is none; `shown_as` (from Presenter) is
// empty if the last picture was not transcoded.
Json play_json(const std::string& screenshot, const PlaySource& source, const player::PlayerReport& report,
               const stream::RecordingReport& recording, const stream::TranscodingPresenter& presenter);
void print_play_report(const std::string& screenshot, const PlaySource& source, const player::PlayerReport& report,
                       const stream::RecordingReport& recording, const std::string& shown_as);
// One line, for a source of a playlist.
void print_play_row(const PlaySource& source, const player::PlayerReport& report);

}  // namespace texcast::cli
