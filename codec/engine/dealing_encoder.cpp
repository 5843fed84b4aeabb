#include "base/ensure.h"
#include "encoders.h"
#include "preconditions.h"
#include "texcast/error.h"

namespace texcast {
namespace {

// Frame n goes to encoder n modulo their number, and is taken from there, so the order needs no list. The slowest
// device determines the frame rate, so the devices should be alike.
class DealingEncoder : public Encoder {
 public:
  DealingEncoder(std::vector<std::unique_ptr<Encoder>> encoders, std::vector<std::string> names)
      : encoders_(std::move(encoders)), names_(std::move(names)) {}

  void submit(const FrameView& frame, const FrameTimes& times) override {
    require_room(*this);
    on_device(submitted_, [&](Encoder& encoder) { encoder.submit(frame, times); });
    ++submitted_;
  }

  EncodedFrame next() override {
    require_frames(*this, "Encoder::next");
    EncodedFrame encoded;
    on_device(taken_, [&](Encoder& encoder) { encoded = encoder.next(); });
    ++taken_;
    return encoded;
  }

  bool ready() const override { return in_flight() > 0 && encoders_[taken_ % encoders_.size()]->ready(); }
  size_t ready_bytes() override {
    size_t bytes = 0;
    if (in_flight() > 0) on_device(taken_, [&](Encoder& encoder) { bytes = encoder.ready_bytes(); });
    return bytes;
  }
  EncodedFrame peek() override {
    require_frames(*this, "Encoder::peek");
    EncodedFrame encoded;
    on_device(taken_, [&](Encoder& encoder) { encoded = encoder.peek(); });
    return encoded;
  }
  void on_progress(std::function<void()> call) override {
    for (const auto& encoder : encoders_) encoder->on_progress(call);
  }
  int bands() const override { return encoders_.front()->bands(); }
  int in_flight() const override { return static_cast<int>(submitted_ - taken_); }
  int capacity() const override {
    return encoders_.front()->capacity() * static_cast<int>(encoders_.size());  // made with the same settings
  }
  int devices() const override { return static_cast<int>(encoders_.size()); }
  std::shared_ptr<FramePool> frame_pool() override {
    for (const auto& encoder : encoders_)
      if (auto pool = encoder->frame_pool()) return pool;
    return nullptr;
  }
  void warm_up() override {
    for (size_t i = 0; i < encoders_.size(); ++i) on_device(i, [](Encoder& encoder) { encoder.warm_up(); });
  }
  TextureDesc texture_desc() const override { return encoders_.front()->texture_desc(); }
  StageTimes last_stage_times() const override {
    return taken_ > 0 ? encoders_[(taken_ - 1) % encoders_.size()]->last_stage_times() : StageTimes{};
  }
  std::string device_name() const override {
    std::string all;
    for (const auto& encoder : encoders_) all += (all.empty() ? "" : ", ") + encoder->device_name();
    return all;
  }

 private:
  template <typename Work>
  void on_device(size_t frame, Work&& work) {
    const size_t i = frame % encoders_.size();
    try {
      work(*encoders_[i]);
    } catch (const Error& error) {  // devices of one machine often have the same name
      throw Error(error.kind(), names_[i] + ": " + error.what());
    }
  }

  std::vector<std::unique_ptr<Encoder>> encoders_;
  std::vector<std::string> names_;
  size_t submitted_ = 0;
  size_t taken_ = 0;
};

}  // namespace

std::unique_ptr<Encoder> make_dealing_encoder(std::vector<std::unique_ptr<Encoder>> encoders,
                                              std::vector<std::string> names) {
  ENSURE(!encoders.empty() && encoders.size() == names.size());
  return std::make_unique<DealingEncoder>(std::move(encoders), std::move(names));
}

}  // namespace texcast
