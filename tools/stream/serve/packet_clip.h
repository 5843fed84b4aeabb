// packet_clip.h — the sending of coded recordings by their stored packets (clip_sender.h).
#pragma once

#include "stream/clip_sender.h"

namespace texcast::stream {

// As send_clip(), for a recording with FileCoding::compact.
ClipReport send_packets_of_clip(std::unique_ptr<media::ClipReader> clip, Destinations& destinations,
                                const SendSettings& settings, const ClipSettings& how, const std::atomic<bool>& stop,
                                const std::function<void(const ClipReport&)>& on_tick, SoundSender* sound);

}  // namespace texcast::stream
