#include "stream/stats_log.h"

#include <fmt/core.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/log.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kEvery = std::chrono::seconds(1);

Json counts(const Counts& from) {
  Json object = Json::object();
  for (const auto& [name, value] : from) object[name] = value;
  return object;
}

double rounded(double value, double step) { return std::round(value / step) * step; }

}  // namespace

struct StatsLog::File {
  std::string path;
  std::FILE* stream = nullptr;
  ~File() {
    if (stream != nullptr && stream != stdout) std::fclose(stream);
  }
};

StatsLog::StatsLog(const std::string& path) : begun_(steady_now()), next_(begun_ + kEvery) {
  if (path.empty()) return;
  file_ = std::make_unique<File>();
  file_->path = path;
  file_->stream = path == "-" ? stdout : std::fopen(path.c_str(), "ae");
  if (file_->stream == nullptr)
    throw Error(ErrorKind::failed, fmt::format("cannot write statistics to {}: {}", path, std::strerror(errno)));
}

StatsLog::~StatsLog() = default;

bool StatsLog::enabled() const { return file_ != nullptr; }
bool StatsLog::due(SteadyTime now) const { return file_ != nullptr && now >= next_; }

void StatsLog::write(const StatsLine& line, SteadyTime now) {
  if (!file_) return;
  next_ = std::max(next_ + kEvery, now);
  const double bits_per_s = rate_.bits_per_s(line.payload_bytes, now);
  Json json;
  json["seconds"] = rounded(in_seconds(now - begun_), 1e-3);
  json["frames"] = counts(line.frames);
  json["dropped"] = counts(line.dropped);
  json["packets"] = counts(line.packets);
  json["bits_per_s"] = std::llround(bits_per_s);
  json["latency_ms"] = Json::object();
  for (const auto& [stage, p50, p95] : line.latency)
    json["latency_ms"][stage] = Json::object({{"p50", rounded(p50, 1e-3)}, {"p95", rounded(p95, 1e-3)}});
  if (line.receivers) json["receivers"] = *line.receivers;
  for (const auto& [name, value] : line.playout) json["playout"][name] = rounded(value, 1e-3);
  const std::string text = json.text() + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_->stream) != text.size() || std::fflush(file_->stream) != 0) {
    log_warning("statistics end here: cannot write {}: {}", file_->path, std::strerror(errno));
    file_.reset();
  }
}

}  // namespace texcast::stream
