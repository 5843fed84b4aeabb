#include <algorithm>

#include "kernel_stage.h"

namespace texcast::stages {
namespace {

class SequenceStage : public Stage {
 public:
  SequenceStage(std::unique_ptr<Stage> first, std::unique_ptr<Stage> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                    const std::vector<cl::Event>& after) override {
    first_->enqueue(queue, source, blocks, after);
    return second_->enqueue(queue, source, blocks, {});  // queues are in order
  }
  const cl::Event& first_command() const override { return first_->first_command(); }

  std::vector<StageBand> cut(int most) override {
    if (most < 2) return {};
    const auto same_plane = [](const StageBand& a, const StageBand& b) {
      return a.parts[0].offset == b.parts[0].offset;
    };
    auto bands = first_->cut(most);
    auto others = second_->cut(most);
    if (bands.empty() || others.empty()) return {};
    together_ = same_plane(bands.front(), others.front());
    if (together_) {
      // Both write their half of every block: a band is final when both have done it.
      while (bands.size() != others.size()) {
        most = static_cast<int>(std::min(bands.size(), others.size()));
        bands = first_->cut(most);
        others = second_->cut(most);
      }
      return bands;
    }
    // A plane after the other, the smaller one in fewer bands.
    const size_t bytes = bands.back().ready_bytes, all = others.back().ready_bytes;
    const auto share = static_cast<int>(static_cast<size_t>(most) * bytes / all);
    bands = first_->cut(std::clamp(share, 1, most - 1));
    first_bands_ = bands.size();
    others = second_->cut(most - static_cast<int>(first_bands_));
    bands.insert(bands.end(), others.begin(), others.end());
    return bands;
  }

  cl::Event enqueue_band(size_t band, const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                         const std::vector<cl::Event>& after) override {
    if (together_) {
      first_->enqueue_band(band, queue, source, blocks, after);
      return second_->enqueue_band(band, queue, source, blocks, {});
    }
    return band < first_bands_ ? first_->enqueue_band(band, queue, source, blocks, after)
                               : second_->enqueue_band(band - first_bands_, queue, source, blocks, after);
  }

 private:
  std::unique_ptr<Stage> first_;
  std::unique_ptr<Stage> second_;
  bool together_ = true;  // of the last cut
  size_t first_bands_ = 0;
};

}  // namespace

std::unique_ptr<Stage> in_sequence(std::unique_ptr<Stage> first, std::unique_ptr<Stage> second) {
  return std::make_unique<SequenceStage>(std::move(first), std::move(second));
}

}  // namespace texcast::stages
