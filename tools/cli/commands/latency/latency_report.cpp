#include "latency/latency_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "common/latency_figures.h"
#include "media/time_clicks.h"
#include "text/figures.h"
#include "text/progress.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kLearning = std::chrono::seconds(1);  // first clicks are ignored: the playout clock still settles

struct ClickStage {
  const char* name;
  WallTime stream::HeardClick::*from;
  WallTime stream::HeardClick::*to;
};
constexpr std::array<ClickStage, 4> kClickStages = {{
    {"packet", &stream::HeardClick::captured, &stream::HeardClick::block_end},
    {"network", &stream::HeardClick::block_end, &stream::HeardClick::arrived},
    {"wait", &stream::HeardClick::arrived, &stream::HeardClick::given},
    {"device", &stream::HeardClick::given, &stream::HeardClick::heard},
}};

void add_ages(Json& json, const Ages& ages) {
  json["measured_ms"] = latency_json(ages.measured);
  json["sum_of_stages_ms"] = latency_json(ages.of_stages);
  json["difference_ms"] = latency_json(ages.difference);
}

void print_stage(const std::string& name, double p50_ms, double p95_ms) {
  print_row("", fmt::format("{:<9}{:6.2f} / {:.2f} ms", name, p50_ms, p95_ms));
}

void print_ages(const char* name, const Ages& ages, const std::string& told_by) {
  print_row(name, fmt::format("{:.1f} / {:.1f} ms (p50 / p95), from {}", ages.measured.milliseconds(0.5),
                              ages.measured.milliseconds(0.95), told_by));
  print_row("stages", fmt::format("{:.1f} / {:.1f} ms in total; difference {:.2f} ms", ages.of_stages.milliseconds(0.5),
                                  ages.of_stages.milliseconds(0.95), ages.difference.milliseconds(0.5)));
}

void print_json(const LatencyReport& report) {
  const SeenPictures& seen = report.seen;
  Json json = Json::object({{"frames_shown", report.player.frames_shown},
                            {"frames_read", seen.read()},
                            {"frames_looked_at", seen.looked_at()},
                            {"renderer", report.renderer}});
  if (!report.grab.empty()) json["grab"] = report.grab;
  add_ages(json, seen.ages());
  for (const auto& stage : report.player.stages)
    json["stages_ms"][stage.name] = latency_json(stage.p50_ms, stage.p95_ms);
  if (seen.on_screen().count() > 0) json["stages_ms"]["screen"] = latency_json(seen.on_screen());
  if (seen.least_network()) json["network_least_ms"] = in_milliseconds(*seen.least_network());
  if (report.clicks != nullptr) report.clicks->add_to(json);
  fmt::print("{}\n", json.text(2));
}

}  // namespace

void Ages::add(nanoseconds by_itself, nanoseconds by_stages) {
  measured.add(by_itself);
  of_stages.add(by_stages);
  difference.add(std::chrono::abs(by_itself - by_stages));
}

void SeenPictures::shown(const player::ShownFrame& frame) {
  if (frame.times.available == WallTime{}) return;  // the sender sends no time stamps
  if (frames_.size() == 2 * LatencyWindow::kCapacity)
    frames_.erase(frames_.begin(), frames_.begin() + LatencyWindow::kCapacity);
  frames_.push_back(frame.times);
  if (frame.times.sent == WallTime{}) return;
  const nanoseconds network = frame.times.first_packet - frame.times.sent;
  least_network_ = std::min(network, least_network_.value_or(network));
}

void SeenPictures::looked_at(const player::ShownFrame& frame, std::optional<int64_t> code) {
  ++looked_at_;
  if (!code || frame.times.available == WallTime{}) return;
  ++read_;
  ages_.add(media::age_of(*code, frame.times.presented), frame.times.presented - frame.times.available);
}

void SeenPictures::grabbed(std::span<const Grab> grabs) {
  auto frame = frames_.begin();
  if (frames_.empty()) return;
  const int64_t first = media::code_of(frames_.front().available);
  for (const Grab& grab : grabs) {
    if (grab.code < first) continue;  // one of the first frames
    ++looked_at_;
    const auto found = std::find_if(frame, frames_.end(),
                                    [&](const auto& times) { return media::code_of(times.available) == grab.code; });
    if (found == frames_.end()) continue;
    frame = found;
    ++read_;
    // The first update may have shown the previous picture, which was replaced by this one before it was captured.
    const WallTime seen = grab.drawn >= frame->uploaded ? grab.drawn : grab.there;
    ages_.add(media::age_of(grab.code, seen), seen - frame->available);
    on_screen_.add(seen - frame->presented);
  }
}

void HeardClicks::heard(std::span<const stream::HeardClick> clicks) {
  for (const stream::HeardClick& click : clicks) {
    if (!first_) first_ = click.heard;
    if (click.heard - *first_ < kLearning) continue;
    ++count_;
    const nanoseconds by_stages = click.heard - click.captured;
    ages_.add(media::age_of_click(click.heard, by_stages), by_stages);
    for (size_t s = 0; s < kStages; ++s) stages_[s].add(click.*kClickStages[s].to - click.*kClickStages[s].from);
  }
}

void HeardClicks::add_to(Json& json) const {
  Json sound = Json::object({{"clicks", count_}});
  add_ages(sound, ages_);
  for (size_t s = 0; s < kStages; ++s) sound["stages_ms"][kClickStages[s].name] = latency_json(stages_[s]);
  json["sound"] = sound;
}

void HeardClicks::print() const {
  print_ages("heard after", ages_, plural(count_, "click"));
  for (size_t s = 0; s < kStages; ++s)
    print_stage(kClickStages[s].name, stages_[s].milliseconds(0.5), stages_[s].milliseconds(0.95));
}

// The one-way delay of a packet lies between 0 and the round-trip time.
std::string clocks_text(nanoseconds least_network) {
  const double least = in_milliseconds(least_network);
  if (least < 0)
    return fmt::format(
        "this clock is behind the sender's by at least {0:.2f} ms, at most {0:.2f} ms plus the "
        "round trip that the sender reports",
        -least);
  return fmt::format(
      "this clock is ahead of the sender's by at most {0:.2f} ms, or behind it by at most the round trip "
      "that the sender reports minus {0:.2f} ms",
      least);
}

void print_latency(const LatencyReport& report, bool json) {
  if (json) return print_json(report);
  const SeenPictures& seen = report.seen;
  print_ages(
      "seen after", seen.ages(),
      fmt::format("{} on {}", plural(seen.read(), "picture"), report.grab.empty() ? report.renderer : report.grab));
  for (const auto& stage : report.player.stages) print_stage(stage.name, stage.p50_ms, stage.p95_ms);
  if (seen.on_screen().count() > 0)
    print_stage("screen", seen.on_screen().milliseconds(0.5), seen.on_screen().milliseconds(0.95));
  if (report.clicks != nullptr) report.clicks->print();
  if (report.two_machines && seen.least_network()) print_row("clocks", clocks_text(*seen.least_network()));
}

}  // namespace texcast::cli
