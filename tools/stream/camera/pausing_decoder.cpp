#include "stream/pausing_decoder.h"

#include <utility>

namespace texcast::stream {

PausingDecoder::PausingDecoder(std::unique_ptr<PayloadDecoder> decoder, std::function<bool()> is_watched,
                               std::function<void()> on_undecoded, Clock& clock)
    : decoder_(std::move(decoder)),
      is_watched_(std::move(is_watched)),
      on_undecoded_(std::move(on_undecoded)),
      clock_(clock) {}

std::optional<uint32_t> PausingDecoder::decode(const transport::ReceivedFrame& frame, const FrameRef& out) {
  if (frame.new_stream) known_.reset();  // another sender: nothing of the previous one is known any more
  const bool paused = pauses_;
  pauses_ = known_ == frame.stream && !is_watched_();
  if (pauses_) {
    on_undecoded_();
    return std::nullopt;
  }
  if (paused) repaired_by_ = clock_.now() + kLongestRepair;
  const auto wrong = decoder_->decode(frame, out);
  if (!wrong || !out) return wrong;
  known_ = frame.stream;
  if (repaired_by_ && *wrong > 0 && clock_.now() < *repaired_by_) return std::nullopt;
  repaired_by_.reset();
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
