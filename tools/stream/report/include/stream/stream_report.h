// stream_report.h — what is told of a stream: `--stats-json`, one JSON line a second, and the report at the end, for
// people and as `--json`. The same names in `send`, `play` and `receive`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/receiving_thread.h"
#include "stream/rate_meter.h"
#include "stream/received_sound.h"
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
  Counts tiles{};              // of compact streams; empty: left out
  uint64_t payload_bytes = 0;  // so far; becomes bits a second
  std::vector<Latency> latency;
  std::vector<Figure> playout;                     // none: left out
  std::optional<Json> sound{};                     // as in the report; none: there is no sound
  std::optional<double> rate_bits_per_s{}, crf{};  // of a stream with loss, that is sent
  std::optional<Json> receivers{};                 // what they say of the stream, as in the report of `send`
};

// Lines as JSON, with what follows from their order: seconds since the first, bits a second. Not thread-safe.
class StatsFigures {
 public:
  explicit StatsFigures(SteadyTime begun) : begun_(begun) {}
  Json json(const StatsLine& line, SteadyTime now);

 private:
  SteadyTime begun_;
  RateMeter rate_;
};

// Not thread-safe.
class StatsLog {
 public:
  // `path` empty: writes nothing; "-": stdout. Throws Error{failed} when the file cannot be opened.
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

// "0.13 bits", of all that was sent for so many frames.
std::string bits_a_pixel(int width, int height, uint64_t frames, uint64_t bytes);

// ---- of a stream that is received ----

// "bc1", "bc1 compact, 0.13 bits a pixel"; "?" for what is not shown.
std::string format_text(const transport::StreamDesc& stream, uint64_t frames, uint64_t bytes);

// Adds what the network did; `dropped`: frames, by cause.
void add_network(StatsLine& line, const StreamStatus& status, const Counts& dropped);
void add_network(Json& json, const StreamStatus& status, const Counts& dropped, double seconds);
void add_recording(Json& json, const RecordingReport& recording);

// What came of the sound, and is heard of it; nothing where there was none.
std::optional<Json> sound_json(const std::optional<SoundStatus>& status);
void print_sound(const SoundStatus& status);

void print_network(const StreamStatus& status, const Counts& dropped, double seconds);
void print_recording(const RecordingReport& recording);

// Throws where frames are missing in the recording: the failure that ended it, or Error{failed} that says how many were
// dropped, and why.
void throw_incomplete(const RecordingReport& recording);

// Throws Error{usage} where nothing was recorded, as no file of that name can hold what came.
void throw_refused(const RecordingReport& recording);

// Throws the Error that says why no frame came at all.
[[noreturn]] void throw_nothing_came(const std::string& source, const StreamStatus& status);

}  // namespace texcast::stream
