// on_demand_recordings.h — streams that are recorded for a while, from when a key or a command asks for it until one ends it.
//
// Thread: the one that shows the stream. Files are closed on another, so that the picture does not stand still.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "files/outputs.h"
#include "stream/recording.h"
#include "stream/stream_feed.h"
#include "text/json_text.h"

namespace texcast::cli {

class OnDemandRecordings {
 public:
  // Told when the file is closed: its line for people, and what failed.
  using Closed = std::function<void(const std::string& line, const std::optional<Error>& failure)>;
  // Told of each that is started and stopped, as the event of --control has it.
  using Told = std::function<void(const Json& event)>;

  OnDemandRecordings(const StreamOptions& options, Told told) : o_(options), told_(std::move(told)) {}
  ~OnDemandRecordings();  // waits for what is being closed

  // Gives the file's name: `path`, or where that is empty the first free one of texcast-1.mov, texcast-2.mov … in the
  // current folder. Throws Error: it is being recorded already, or the last one is still being closed; as
  // claim_output().
  std::string start(stream::StreamFeed& feed, const std::string& path);
  // Throws Error{usage}: nothing is recorded.
  void stop(stream::StreamFeed& feed, Closed closed);
  // Tells of what has been closed meanwhile. Cheap.
  void follow();

  // Waits until all is closed. Gives and forgets what was recorded: files of several recordings one after the other.
  stream::RecordingReport finish();
  // The same, with what the feed itself has recorded last.
  static stream::RecordingReport joined(stream::RecordingReport first, stream::RecordingReport second);

 private:
  struct Closing {
    std::future<stream::RecordingReport> report;
    std::string path;
    Closed closed;
  };
  void settle();

  const StreamOptions& o_;
  const Told told_;
  std::vector<std::unique_ptr<Recoveries>> recoveries_;
  std::optional<Closing> closing_;
  stream::RecordingReport done_;
};

}  // namespace texcast::cli
