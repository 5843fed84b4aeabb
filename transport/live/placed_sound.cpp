#include "placed_sound.h"

#include <utility>

namespace texcast::stream {

PlacedSound::PlacedSound(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                         OnSound on_sound)
    : on_sound_(std::move(on_sound)),
      receiver_(std::move(source), settings, picture_, [this](const SoundBlock& block) { pass_on(block); }) {}

void PlacedSound::on_frame(const PooledFrame& frame) {
  {
    const std::lock_guard lock(mutex_);
    place_.on_frame(frame.times.pts, frame.times.available, frame.arrived, frame.new_stream);
  }
  if (sender_) picture_.set(*std::exchange(sender_, std::nullopt));
}

void PlacedSound::pass_on(const SoundBlock& block) {
  std::optional<nanoseconds> place;
  {
    const std::lock_guard lock(mutex_);
    place = place_.of(block);
  }
  if (!place) return;
  on_sound_({.samples = block.samples,
             .format = {.sample_rate = block.format.rate, .channels = block.format.channels},
             .pts = sequence_.next(block, *place),
             .new_stream = block.new_stream,
             .concealed = block.concealed});
}

}  // namespace texcast::stream
