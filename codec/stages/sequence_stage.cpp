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

 private:
  std::unique_ptr<Stage> first_;
  std::unique_ptr<Stage> second_;
};

}  // namespace

std::unique_ptr<Stage> in_sequence(std::unique_ptr<Stage> first, std::unique_ptr<Stage> second) {
  return std::make_unique<SequenceStage>(std::move(first), std::move(second));
}

}  // namespace texcast::stages
