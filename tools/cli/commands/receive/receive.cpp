// receive.cpp — `texcast receive`: records a stream into a file, without a window.
#include <fmt/core.h>

#include "base/log.h"
#include "base/reader_gone.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/control_events.h"
#include "common/control_port.h"
#include "common/service_names.h"
#include "common/unused_options.h"
#include "files/outputs.h"
#include "files/pipe_target.h"
#include "files/texture_files.h"
#include "live/datagrams.h"
#include "live/sound_receiver.h"
#include "receive/receive_camera.h"
#include "receive/receive_settings.h"
#include "stream/pool_frames.h"
#include "stream/receive_texts.h"
#include "stream/stream_report.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kPipeGrace = std::chrono::seconds(1);
constexpr nanoseconds kPollInterval = std::chrono::milliseconds(20);

using stream::StreamStatus;

// Counts frames on the receiving thread, and passes exactly the first N.
class FrameGate {
 public:
  explicit FrameGate(std::optional<int64_t> limit) : limit_(limit) {}
  bool full() const { return limit_ && passed_.load() >= *limit_; }
  bool pass() {
    if (full()) return false;
    passed_.fetch_add(1);
    return true;
  }

 private:
  const std::optional<int64_t> limit_;
  std::atomic<int64_t> passed_ = 0;
};

[[noreturn]] void throw_nothing_recorded(const std::string& source, uint16_t port, const StreamStatus& status,
                                         const stream::RecordingReport& file) {
  throw_refused(file);
  if (status.frames == 0) throw_nothing_came(source, port, status);
  throw Error(stream::is_capture(source) ? ErrorKind::corrupt : ErrorKind::network,
              fmt::format("no complete frame was received from {}: nothing was recorded", source));
}

// nullptr if the file cannot hold audio, or with --no-audio.
std::unique_ptr<stream::SoundReceiver> record_sound(const StreamOptions& o, const transport::ReceiveSettings& settings,
                                                    stream::DatagramSource& datagrams,
                                                    const stream::PictureSender& picture,
                                                    stream::Recording& recording) {
  if (o.no_audio || !media::takes_sound(o.record)) return nullptr;
  const auto put = [&](const stream::SoundBlock& block) { recording.put_sound(block); };
  auto sound = datagrams.live()
                   ? stream::receive_sound(o.source, o.interface, o.from, settings, picture, put)
                   : std::make_unique<stream::SoundReceiver>(datagrams, stream::sound_settings(settings), picture, put);
  if (sound) recording.expect_sound();
  return sound;
}

void bind_control(ControlPort& control, const stream::Recording& recording, const std::string& path) {
  control.rows().property("recording", [&recording, path] { return recording.ended() ? Json() : Json(path); });
  control.bind_quit();
  control.begin();
}

}  // namespace

int run_receive(const StreamOptions& given) {
  StreamOptions o = with_addresses(given);
  if (!stream::is_rtp(o.source) && !stream::is_capture(o.source))
    throw Error(
        ErrorKind::usage,
        fmt::format("cannot receive from '{}'; give [ADDR]:PORT, the NAME of a sender, or pcap:FILE", o.source));
  reject_unused(as_given(o));
  if (is_camera(o.record)) return run_camera(o);
  const std::string target = o.record;
  const bool pipes = is_pipe(target);
  o.record = output_name(target, o.container, {"nut", "y4m", "mkv", "ktx2", "dds", "astc"}, Accepted::only);
  if (is_stdout(target) && o.stats_json == "-")
    throw Error(ErrorKind::usage, "--stats-json - and OUTPUT - exclude each other: give the statistics a file");
  const bool capture = stream::is_capture(o.source);
  const transport::ReceiveSettings settings = receive_settings(o);
  stream::StatsLog stats(o.stats_json);
  media::RecorderSettings output = recorder_settings(o.record, o.packing);
  if (pipes) check_pipe(output);
  const auto recoveries = pipes ? nullptr : claim_output(output, o.if_exists, Start::with_the_first_frame);
  std::optional<EndsAtOnceIfInterrupted> soon;  // the pipe's reader may never read on
  if (pipes) {
    soon.emplace(nullptr, kPipeGrace);
    output.pipe = open_pipe(target, o.record);
  }
  auto datagrams = stream::open_datagrams(o.source, stream::Pace::unpaced, o.interface, o.from);
  stream::BlockPool pool(stream::kPoolFrames, stream::ReceivingThread::pool_bytes(settings));
  const std::string recording_path = output.claim ? output.claim->path() : output.path;
  stream::Recording recording(std::move(output), capture ? stream::WhenFull::wait : stream::WhenFull::drop,
                              layout_settings(o));
  stream::PictureSender picture;
  const auto sound = record_sound(o, settings, *datagrams, picture, recording);
  FrameGate gate(o.frames);
  const std::vector<std::string> send_to = datagrams->send_to();
  const uint16_t port = datagrams->port();
  stream::ReceptionLog log(picture);
  stream::ReceivingThread receiver(
      std::move(datagrams), pool,
      [&](const stream::FrameRef& frame, double fps) {
        if (gate.pass()) recording.put(frame, fps);
      },
      settings, {}, &log, nullptr, o.device);
  const EndsHereIfInterrupted ends_before_receiver;
  if (!capture) log_info("listening on {}; {}", o.source, stream::how_to_send(send_to));
  const auto announcer = announce_player(o, o.source, send_to);
  const SteadyTime begun = steady_now();  // start of the wait for the first frame

  const auto quiet_for = [&](const StreamStatus& s) { return steady_now() - s.last_frame.value_or(begun); };
  // No limit without --timeout.
  const nanoseconds timeout = o.timeout.value_or(nanoseconds::max());
  const auto dropped = [&](const StreamStatus& s) {
    stream::Counts counts = dropped_counts(s);
    counts.push_back({"not_recorded", recording.dropped()});
    counts.push_back({"passed_over", recording.passed_over()});
    return counts;
  };
  const auto sound_now = [&] { return sound ? stream::sound_json(sound->status()) : std::nullopt; };
  const auto stats_line = [&](const StreamStatus& s) {
    stream::StatsLine line;
    add_network(line, s, dropped(s));
    line.sound = sound_now();
    line.latency = {{"network", s.network_ms[0], s.network_ms[1]}, {"assemble", s.assemble_ms[0], s.assemble_ms[1]}};
    return line;
  };
  ControlPort control(
      o.control, control::kReceive, [&] { return o.source; }, [&] { return stats_line(receiver.status()); });
  bind_control(control, recording, recording_path);
  std::optional<transport::StreamDesc> reported;
  const auto send_news = [&](const StreamStatus& now) {
    if (!now.stream || now.stream == reported) return;
    if (!reported) control.tell("recording", recording_started(recording_path));
    reported = now.stream;
    control.tell("stream", stream_event(*reported));
  };
  {
    Progress progress("receiving", o.frames);
    while (!interrupted() && !gate.full() && !receiver.ended() && !recording.ended()) {
      std::this_thread::sleep_for(kPollInterval);
      const StreamStatus now = receiver.status();
      if (quiet_for(now) >= timeout) break;
      if (now.stream && !capture) progress.expect_rate(now.stream->fps);
      progress.update(static_cast<int64_t>(now.frames),
                      now.counters.lost > 0 ? plural(now.counters.lost, "packet") + " lost" : "");
      if (stats.due(steady_now())) stats.write(stats_line(now), steady_now());
      control.obey();
      control.tell_statistics();
      send_news(now);
    }
  }
  receiver.stop();
  const StreamStatus status = receiver.status();
  if (sound) sound->finish(status.stream ? status.stream->fps : 0);
  const stream::RecordingReport file = recording.finish();
  stats.write(stats_line(status), steady_now());
  send_news(status);
  if (file.reader_gone) throw ReaderGone(*file.failure);
  if (reported) control.tell("recording", recording_stopped(file));
  if (!interrupted() && !file.failure) control.tell("end", Json::object({{"source", o.source}}));
  if (file.files.empty() && !interrupted() && !file.failure) throw_nothing_recorded(o.source, port, status, file);

  const double seconds =
      status.first_frame && status.last_frame ? in_seconds(*status.last_frame - *status.first_frame) : 0;
  if (o.json) {
    Json json = Json::object({{"source", o.source}, {"seconds", seconds}});
    add_network(json, status, dropped(status), capture ? 0 : seconds);
    if (const auto heard = sound_now()) json["sound"] = *heard;
    add_recording(json, file);
    fmt::print("{}\n", json.text(2));
  } else if (reports()) {
    print_row("received", fmt::format("{} in {:.1f} s", plural(static_cast<uint64_t>(file.frames), "frame"), seconds));
    print_network(status, dropped(status), capture ? 0 : seconds);
    if (sound) stream::print_sound(sound->status());
    print_recording(file);
  }
  throw_incomplete(file);
  return 0;
}

}  // namespace texcast::cli
