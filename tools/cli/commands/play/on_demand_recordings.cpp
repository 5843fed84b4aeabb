#include "play/on_demand_recordings.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "base/log.h"
#include "common/control_events.h"
#include "files/texture_files.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

// The settings, with the claim on the name. `path` empty: the first free name.
media::RecorderSettings settings_for(const StreamOptions& o, const std::string& path,
                                     std::vector<std::unique_ptr<Recoveries>>& recoveries) {
  const auto claimed = [&](const std::string& name, IfExists if_exists) {
    media::RecorderSettings settings = recorder_settings(name, o.packing);
    recoveries.push_back(claim_output(settings, if_exists, Start::with_the_first_frame));
    return settings;
  };
  if (!path.empty()) return claimed(path, o.if_exists);
  for (int i = 1;; ++i) {
    const std::string name = fmt::format("texcast-{}.mov", i);
    try {
      if (media::unfinished_of(name).empty()) return claimed(name, IfExists::refuse);
    } catch (const NameTaken&) {  // try the next name
    }
  }
}

std::string line_of(const std::string& path, const stream::RecordingReport& report) {
  if (report.failure) return fmt::format("{}: {}", path, report.failure->what());
  if (!report.refusal.empty()) return fmt::format("nothing was recorded: {}", report.refusal);
  if (report.files.empty()) return "no frame was received: nothing was recorded";
  return fmt::format("recorded {}, {}", ::texcast::joined(report.files, ", "),
                     plural(static_cast<uint64_t>(report.frames), "frame"));
}

}  // namespace

OnDemandRecordings::~OnDemandRecordings() {
  if (closing_) closing_->report.wait();
}

std::string OnDemandRecordings::start(stream::StreamFeed& feed, const std::string& path) {
  follow();
  if (const std::string now = feed.recording_path(); !now.empty())
    throw Error(ErrorKind::usage, fmt::format("already recording to {}", now));
  if (closing_) throw Error(ErrorKind::failed, fmt::format("{} is still being closed", closing_->path));
  feed.record(settings_for(o_, path, recoveries_), layout_settings(o_));
  log_info("recording to {}", feed.recording_path());
  told_(recording_started(feed.recording_path()));
  return feed.recording_path();
}

void OnDemandRecordings::stop(stream::StreamFeed& feed, Closed closed) {
  const std::string path = feed.recording_path();
  auto recording = feed.end_recording();
  if (!recording) throw Error(ErrorKind::usage, "nothing is being recorded");
  settle();  // for a recording of --record that was stopped before; start() would have refused
  closing_ = Closing{
      .report = std::async(std::launch::async, [taken = std::move(recording)] { return taken->finish_with_sound(); }),
      .path = path,
      .closed = std::move(closed)};
}

void OnDemandRecordings::follow() {
  if (closing_ && closing_->report.wait_for(std::chrono::seconds(0)) == std::future_status::ready) settle();
}

void OnDemandRecordings::settle() {
  if (!closing_) return;
  Closing closing = std::move(*std::exchange(closing_, std::nullopt));
  stream::RecordingReport report = closing.report.get();
  const std::string line = line_of(closing.path, report);
  log_info("{}", line);
  told_(recording_stopped(report));
  if (closing.closed) closing.closed(line, report.failure);
  done_ = joined(std::move(done_), std::move(report));
}

stream::RecordingReport OnDemandRecordings::finish() {
  settle();
  recoveries_.clear();
  return std::exchange(done_, {});
}

stream::RecordingReport OnDemandRecordings::joined(stream::RecordingReport first, stream::RecordingReport second) {
  first.frames += second.frames;
  first.bytes += second.bytes;
  first.missing += second.missing;
  first.passed += second.passed;
  first.files.insert(first.files.end(), second.files.begin(), second.files.end());
  if (!first.failure) first.failure = std::move(second.failure);
  if (first.full.empty()) first.full = std::move(second.full);
  if (first.refusal.empty()) first.refusal = std::move(second.refusal);
  if (!first.files.empty()) first.refusal.clear();
  return first;
}

}  // namespace texcast::cli
