// on_demand_recordings.h — recordings that a key or a command starts and stops during playback.
//
// For the thread that shows the stream. Files are closed on another thread, so that the picture does not freeze.
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
  // Called when the file is closed, with a message and the error, if any.
  using Closed = std::function<void(const std::string& line, const std::optional<Error>& failure)>;
  // Called when a recording starts and stops, with the data of the --control event.
  using Told = std::function<void(const Json& event)>;

  OnDemandRecordings(const StreamOptions& options, Told told) : o_(options), told_(std::move(told)) {}
  ~OnDemandRecordings();  // waits until the file is closed

  // Returns the file's name: `path`, or if that is empty the first free one of texcast-1.mov, texcast-2.mov … in the
  // current folder. Throws Error if the stream is being recorded already, or the last file is still being closed; and
  // as claim_output().
  std::string start(stream::StreamFeed& feed, const std::string& path);
  // Throws Error{usage} if nothing is being recorded.
  void stop(stream::StreamFeed& feed, Closed closed);
  // Calls `closed` and `told` for a file that has been closed meanwhile. Cheap.
  void follow();

  // Waits until all files are closed. Returns the report of all recordings since the last call.
  stream::RecordingReport finish();
  // Adds `second` to the report `first`.
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
