// stream_report.h — reports on a stream: `--stats-json`, one JSON line a second, and the report at the end, as text and
// as `--json`. `send`, `play` and `receive` use the same names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/receiving_thread.h"
#include "live/sound_receiver.h"
#include "stream/rate_meter.h"
#include "stream/recording.h"
#include "stream/stream_counts.h"
#include "texcast/frame_times.h"
#include "text/json_text.h"

namespace texcast::stream {

struct StatsLine {
  struct Figure {
    std::string name;
    double value = 0;
  };
  struct Latency {
    std::string stage;
    double p50_ms = 0;
    double p95_ms = 0;
  };
  Counts frames;               // in, sent, shown, lost, concealed
  Counts dropped;              // frames by cause
  Counts packets;              // sent, received, lost, recovered …
  Counts tiles{};              // of a coded stream; empty: left out
  uint64_t payload_bytes = 0;  // so far; written as bits per second
  SteadyTime begun{};          // when a stream that is sent began, which may have waited for kernels; else unset
  std::vector<Latency> latency;
  std::vector<Figure> playout;                     // empty: left out
  std::optional<Json> sound{};                     // as in the report; nullopt: there is no sound
  std::optional<double> rate_bits_per_s{}, crf{};  // of a lossy stream that is sent
  std::optional<Json> receivers{};                 // their reports, as in the report of `send`
  std::optional<Json> destinations{};              // of a relay, as in its report
  std::optional<Json> viewers{};                   // browsers, as in the report of `send`; nullopt: none is served
};

// Makes JSON of lines, with the seconds since `begun` and the bit rate of about the last second; in the first second it
// is the rate since the beginning. Not thread-safe.
class StatsFigures {
 public:
  explicit StatsFigures(SteadyTime begun) : begun_(begun), rate_(begun) {}
  Json json(const StatsLine& line, SteadyTime now);

 private:
  SteadyTime begun_;
  RateMeter rate_;
};

// Not thread-safe.
class StatsLog {
 public:
  // `path`: empty to write nothing; "-" for stdout. Throws Error{failed} if the file cannot be opened.
  explicit StatsLog(const std::string& path);
  ~StatsLog();
  // True once a second: then make a line and write() it.
  bool due(SteadyTime now) const;
  SteadyTime next_due() const { return next_; }
  bool enabled() const;
  void write(const StatsLine& line, SteadyTime now);

 private:
  struct File;
  std::unique_ptr<File> file_;
  SteadyTime next_;
  StatsFigures figures_;
};

Json json_of(const Counts& counts);  // an object, with a member for each

// "0.13 bits": the bits per pixel of `frames` that took `bytes`.
std::string bits_a_pixel(int width, int height, uint64_t frames, uint64_t bytes);

// ---- received streams ----

// "bc1", "bc1 compact, 0.13 bits a pixel"; "?" for a stream that cannot be shown.
std::string format_text(const transport::StreamDesc& stream, uint64_t frames, uint64_t bytes);

// Adds the counts of the network; `dropped`: frames, by cause.
void add_network(StatsLine& line, const StreamStatus& status, const Counts& dropped);
void add_network(Json& json, const StreamStatus& status, const Counts& dropped, double seconds);
void add_recording(Json& json, const RecordingReport& recording);

// Figures of the received sound and of the loudspeaker; nullopt if there was no sound.
std::optional<Json> sound_json(const std::optional<SoundStatus>& status);
void print_sound(const SoundStatus& status);

void print_network(const StreamStatus& status, const Counts& dropped, double seconds);
void print_recording(const RecordingReport& recording);

// Throws if frames are missing in the recording: the failure that ended it, or Error{failed} with the number of dropped
// frames and the cause.
void throw_incomplete(const RecordingReport& recording);

// Throws Error{usage} if nothing was recorded because the file cannot hold the stream.
void throw_refused(const RecordingReport& recording);

// Throws the Error that says why no frame came at all. `port`: that was listened on; 0: unknown, or a capture.
[[noreturn]] void throw_nothing_came(const std::string& source, uint16_t port, const StreamStatus& status);

}  // namespace texcast::stream
