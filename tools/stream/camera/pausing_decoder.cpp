#include "stream/pausing_decoder.h"

#include <utility>

namespace texcast::stream {

PausingDecoder::PausingDecoder(std::unique_ptr<PayloadDecoder> decoder, std::function<bool()> is_watched,
                               std::function<void()> passed_over)
    : decoder_(std::move(decoder)), is_watched_(std::move(is_watched)), passed_over_(std::move(passed_over)) {}

std::optional<uint32_t> PausingDecoder::decode(const transport::ReceivedFrame& frame, const FrameRef& out) {
  if (frame.new_stream) known_.reset();  // another sender: nothing of the previous one is known any more
  pauses_ = known_ == frame.stream && !is_watched_();
  if (pauses_) {
    count_.fetch_add(1, std::memory_order_relaxed);
    passed_over_();
    return std::nullopt;
  }
  const auto wrong = decoder_->decode(frame, out);
  if (wrong && out) known_ = frame.stream;
  return wrong;
}

// The sums are of a frame that was not decoded.
void PausingDecoder::compare(const transport::TileSums& sums) {
  if (!pauses_) decoder_->compare(sums);
}

std::optional<transport::TileQuery> PausingDecoder::query(SteadyTime now) {
  return pauses_ ? std::nullopt : decoder_->query(now);
}

std::optional<SteadyTime> PausingDecoder::next_query() const { return pauses_ ? std::nullopt : decoder_->next_query(); }

}  // namespace texcast::stream
