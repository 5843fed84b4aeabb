#include "timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tuner/timing.h"

namespace texcast::bench {

void Timeline::add(std::string_view who, std::string_view name, nanoseconds begin, nanoseconds end) {
  auto part = std::ranges::find_if(parts_, [&](const Part& other) { return other.who == who && other.name == name; });
  if (part == parts_.end()) part = parts_.insert(parts_.end(), {who, std::string(name), {}, {}});
  part->begin_ms.push_back(in_milliseconds(begin));
  part->end_ms.push_back(in_milliseconds(end));
}

void Timeline::add_device(const std::vector<compact::LossyBackendStage>& stages) {
  for (const compact::LossyBackendStage& stage : stages)
    add("device", stage.name, device_ - frame_ + stage.begin, device_ - frame_ + stage.end);
}

std::string Timeline::table() const {
  struct Row {
    double begin_ms, end_ms;
    const Part* part;
  };
  std::vector<Row> rows;
  for (const Part& part : parts_) rows.push_back({tuner::median(part.begin_ms), tuner::median(part.end_ms), &part});
  std::ranges::stable_sort(rows, {}, &Row::begin_ms);
  std::string text = "from ms    to ms  for ms  who     part\n";
  for (const Row& row : rows)
    text += fmt::format("{:7.3f}  {:7.3f}  {:6.3f}  {:<6}  {}\n", row.begin_ms, row.end_ms, row.end_ms - row.begin_ms,
                        row.part->who, row.part->name);
  return text;
}

namespace {

template <typename Call>
auto timed(Timeline& timeline, std::string_view part, const Call& call) {
  const SteadyTime begun = steady_now();
  const auto result = call();
  timeline.add_host(part, begun, steady_now());
  return result;
}

class TimedBackend final : public compact::EncoderBackend {
 public:
  TimedBackend(std::unique_ptr<compact::OpenClLossyBackend> backend, Timeline& timeline)
      : backend_(std::move(backend)), timeline_(timeline) {}

  void start(const compact::EncoderState& state, Workers& workers) override { backend_->start(state, workers); }
  std::span<const compact::TileDifference> begin(const compact::BackendFrame& frame) override {
    timeline_.begin_device(steady_now());
    return timed(timeline_, "wait for changes", [&] { return backend_->begin(frame); });
  }
  std::span<const compact::MotionCandidates> find_candidates(const FrameView* picture, std::span<const uint32_t> drawn,
                                                             std::span<const uint32_t> changed) override {
    return timed(timeline_, "wait for candidates", [&] { return backend_->find_candidates(picture, drawn, changed); });
  }
  std::span<const compact::TileComplexity> complexity(std::span<const compact::TileToMeasure> tiles,
                                                      std::span<const compact::MotionVector> global) override {
    return timed(timeline_, "wait for complexity", [&] { return backend_->complexity(tiles, global); });
  }
  void encode(std::span<const compact::TileToEncode> tiles, std::span<const compact::MotionVector> global) override {
    timed(timeline_, "submit tiles", [&] {
      backend_->encode(tiles, global);
      return true;
    });
  }
  compact::EncodedBatch wait() override {
    return timed(timeline_, "wait for tiles", [&] { return backend_->wait(); });
  }
  std::span<const compact::SubBlockTexels> texels() override { return backend_->texels(); }
  std::span<const uint8_t> samples() override { return backend_->samples(); }
  std::span<const uint8_t> reference_samples() override { return backend_->reference_samples(); }
  void end(const compact::FrameOutcome& outcome) override {
    timed(timeline_, "submit reference frame", [&] {
      backend_->end(outcome);
      return true;
    });
  }

 private:
  std::unique_ptr<compact::OpenClLossyBackend> backend_;
  Timeline& timeline_;
};

}  // namespace

std::unique_ptr<compact::EncoderBackend> timed_backend(std::unique_ptr<compact::OpenClLossyBackend> backend,
                                                       Timeline& timeline) {
  return std::make_unique<TimedBackend>(std::move(backend), timeline);
}

}  // namespace texcast::bench
