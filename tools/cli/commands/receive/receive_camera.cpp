#include "receive/receive_camera.h"

#include <fmt/core.h>

#include <memory>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/workers.h"
#include "cli/interrupt.h"
#include "common/control_port.h"
#include "common/service_names.h"
#include "live/backend_builder.h"
#include "live/datagrams.h"
#include "receive/receive_settings.h"
#include "stream/camera_thread.h"
#include "stream/pausing_decoder.h"
#include "stream/pipewire_camera.h"
#include "stream/receive_texts.h"
#include "stream/stream_report.h"
#include "stream/v4l2_camera.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

constexpr std::string_view kPipewire = "pipewire:", kV4l2 = "v4l2:";
constexpr nanoseconds kCameraPoll = std::chrono::milliseconds(50);

void reject_for_cameras(const StreamOptions& o) {
  const PackingOptions& packing = o.packing;
  for (const auto& [given, option] : {std::pair{!o.container.empty(), "--container"},
                                      {o.if_exists != IfExists::refuse, "--overwrite and --number"},
                                      {packing.layout.has_value(), "--layout"},
                                      {packing.coding.has_value(), "--coding"},
                                      {packing.chunks.has_value(), "--chunks"},
                                      {packing.snappy.has_value(), "--snappy"},
                                      {packing.zstd.has_value(), "--zstd"},
                                      {packing.split.has_value(), "--split"},
                                      {packing.max_disk.has_value(), "--max-disk"},
                                      {packing.max_files.has_value(), "--max-files"},
                                      {o.no_audio, "--no-audio"}})
    if (given)
      throw Error(ErrorKind::usage, fmt::format("{} is for files, and OUTPUT is a camera, which has no sound", option));
}

std::unique_ptr<stream::Camera> open_camera(const std::string& output) {
  if (output.starts_with(kV4l2)) return stream::make_v4l2_camera(output.substr(kV4l2.size()));
  const std::string name = output.substr(kPipewire.size());
  return stream::make_pipewire_camera(name.empty() ? "texcast" : name);
}

stream::Counts camera_counts(const stream::CameraCounts& counts) {
  return {{"converted", counts.converted}, {"unchanged", counts.unchanged},   {"sent", counts.sent},
          {"repeated", counts.repeated},   {"not_watched", counts.unwatched}, {"not_decoded", counts.undecoded}};
}

// Nothing is recorded, and the other rows are those of receive.cpp.
void bind_control(ControlPort& control) {
  control.rows().property("recording", [] { return Json(); });
  control.bind_quit();
  control.begin();
}

class CameraReception {
 public:
  CameraReception(const StreamOptions& o, const transport::ReceiveSettings& settings, stream::Camera& camera)
      : pool_(stream::ReceivingThread::kOwnFrames + stream::CameraFeed::kFrames,
              stream::ReceivingThread::pool_bytes(settings)),
        feed_(camera, o.device),
        decoder_(
            std::make_unique<stream::CompactReception>(Workers::suggested_threads(), stream::backend_builder(o.device)),
            [this] { return feed_.is_watched(); }, [this] { feed_.mark_stale(); }),
        log_(picture_),
        datagrams_(stream::open_datagrams(o.source, stream::Pace::as_captured, o.interface, o.from)),
        send_to_(datagrams_->send_to()),
        receiver_(
            std::move(datagrams_), pool_, [this](const stream::FrameRef& frame, double fps) { feed_.put(frame, fps); },
            settings, {}, &log_, &decoder_, o.device),
        thread_(feed_) {}

  stream::ReceivingThread& receiver() { return receiver_; }
  const std::vector<std::string>& send_to() const { return send_to_; }
  stream::Counts counts() const { return camera_counts(feed_.counts()); }
  bool is_watched() const { return feed_.is_watched(); }
  void rethrow_failure() const { thread_.rethrow_failure(); }

 private:
  stream::BlockPool pool_;  // first: the others keep frames of it
  stream::CameraFeed feed_;
  stream::PausingDecoder decoder_;
  stream::PictureSender picture_;
  stream::ReceptionLog log_;
  std::unique_ptr<stream::DatagramSource> datagrams_;
  const std::vector<std::string> send_to_;
  stream::ReceivingThread receiver_;
  stream::CameraThread thread_;
};

}  // namespace

bool is_camera(const std::string& output) { return output.starts_with(kPipewire) || output.starts_with(kV4l2); }

int run_camera(const StreamOptions& o) {
  reject_for_cameras(as_given(o));
  const transport::ReceiveSettings settings = receive_settings(o);
  stream::StatsLog stats(o.stats_json);
  const auto camera = open_camera(o.record);
  CameraReception reception(o, settings, *camera);
  stream::ReceivingThread& receiver = reception.receiver();
  const bool capture = stream::is_capture(o.source);
  if (!capture) log_info("listening on {}; {}", o.source, stream::how_to_send(reception.send_to()));
  const auto announcer = announce_player(o, o.source, reception.send_to());
  SteadyTime last_packet = steady_now();  // frames that are not decoded are not counted
  uint64_t packets = 0;
  const auto stats_line = [&](const stream::StreamStatus& s) {
    stream::StatsLine line;
    add_network(line, s, stream::dropped_counts(s));
    return line;
  };
  ControlPort control(
      o.control, control::kReceive, [&] { return o.source; }, [&] { return stats_line(receiver.status()); });
  bind_control(control);
  bool was_listed = false;
  {
    Progress progress("receiving", o.frames);
    while (!interrupted() && !receiver.ended() && camera->ended().empty()) {
      std::this_thread::sleep_for(kCameraPoll);
      reception.rethrow_failure();
      const stream::StreamStatus now = receiver.status();
      if (std::exchange(packets, now.counters.packets) != now.counters.packets) last_packet = steady_now();
      if (steady_now() - last_packet >= o.timeout.value_or(nanoseconds::max())) break;
      if (o.frames && static_cast<int64_t>(now.frames) >= *o.frames) break;
      if (now.stream && !std::exchange(was_listed, true)) log_info("{} is a camera now", o.record);
      progress.update(static_cast<int64_t>(now.frames), reception.is_watched() ? "watched" : "no program reads");
      if (stats.due(steady_now())) stats.write(stats_line(now), steady_now());
      control.obey();
      control.tell_statistics();
    }
  }
  receiver.stop();
  const stream::StreamStatus status = receiver.status();
  stats.write(stats_line(status), steady_now());
  if (const std::string why = camera->ended(); !why.empty()) throw Error(ErrorKind::failed, why);
  if (status.frames == 0 && !interrupted()) throw_nothing_came(o.source, 0, status);
  const auto counts = reception.counts();
  if (o.json) {
    Json json = Json::object({{"source", o.source}, {"camera", stream::json_of(counts)}});
    add_network(json, status, stream::dropped_counts(status), 0);
    fmt::print("{}\n", json.text(2));
  } else if (reports()) {
    std::string text;
    for (const auto& [name, value] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    print_row("camera", text);
    print_network(status, stream::dropped_counts(status), 0);
  }
  return 0;
}

}  // namespace texcast::cli
