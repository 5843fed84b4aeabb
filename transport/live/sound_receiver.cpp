#include "live/sound_receiver.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"

namespace texcast::stream {
SoundReceiver::SoundReceiver(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                             const PictureSender& picture, OnBlock on_block)
    : on_block_(std::move(on_block)),
      has_thread_(true),
      receiver_(std::move(source), settings, picture,
                [this](const transport::AudioUnit& unit, SteadyTime now) { decode(unit, now); }) {}

SoundReceiver::SoundReceiver(DatagramSource& source, const transport::AudioSessionSettings& settings,
                             const PictureSender& picture, OnBlock on_block)
    : on_block_(std::move(on_block)),
      has_thread_(false),
      receiver_(settings, picture, [this](const transport::AudioUnit& unit, SteadyTime now) { decode(unit, now); }) {
  const bool is_given =
      source.give_sound_to([this](Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
        receiver_.feed(datagram, arrived, from);
      });
  ENSURE(is_given);
}

void SoundReceiver::decode(const transport::AudioUnit& unit, SteadyTime now) {
  const auto block = decoder_.decode(unit, now);
  if (!block) return;
  on_block_(*block);
  const std::lock_guard lock(mutex_);
  concealed_ms_ = static_cast<double>(decoder_.concealed()) * 1000 / block->format.rate / block->format.channels;
}

SoundStatus SoundReceiver::status() const {
  SoundStatus status{.received = receiver_.status()};
  const std::lock_guard lock(mutex_);
  status.concealed_ms = concealed_ms_;
  return status;
}

void SoundReceiver::stop() { receiver_.stop(); }

void SoundReceiver::finish(double fps) {
  constexpr nanoseconds kParity = std::chrono::milliseconds(50);  // until parity can have repaired the last packets
  if (has_thread_ && receiver_.status().stream)
    std::this_thread::sleep_for(kParity + std::min<nanoseconds>(frame_period(fps), std::chrono::milliseconds(250)));
  stop();
}

std::unique_ptr<SoundReceiver> receive_sound(const std::string& source, const std::string& interface,
                                             const std::vector<std::string>& from,
                                             const transport::ReceiveSettings& settings, const PictureSender& picture,
                                             SoundReceiver::OnBlock on_block) {
  auto datagrams = open_sound_datagrams(source, interface, from);
  if (!datagrams) return nullptr;
  return std::make_unique<SoundReceiver>(std::move(datagrams), sound_settings(settings), picture, std::move(on_block));
}

std::string sound_text(const SoundStatus& status) {
  const auto& stream = status.received.stream;
  if (!stream) return "none yet";
  return fmt::format("{}, {} Hz, {} channel{}", stream->coding == transport::AudioCoding::opus ? "opus" : "pcm",
                     stream->rate, stream->channels, stream->channels == 1 ? "" : "s");
}

}  // namespace texcast::stream
