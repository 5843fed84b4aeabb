// send_sound.h — opens the audio source of `send` and its sender.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/options.h"
#include "live/destinations.h"
#include "media/frame_source.h"
#include "stream/paced_sender.h"
#include "stream/sound_sender.h"
#include "text/json_text.h"

namespace texcast::cli {

// nullptr if neither the options nor the input provide audio. The audio is sent to the addresses and captures of
// `destinations`, which must outlive it. Throws Error{usage} if options contradict each other, and Error{input} if the
// requested source cannot be opened.
std::unique_ptr<stream::SoundSender> open_sound(const SendOptions& options, const media::FrameSource& source,
                                                stream::Destinations& destinations,
                                                const stream::SendSettings& settings,
                                                std::vector<std::shared_ptr<web::Stream>> variants = {});

// A sender for `sound`, with coding and network by the options. `destinations` must outlive it.
// `variants`: where the sound goes too. Throws Error{network}.
std::unique_ptr<stream::SoundSender> send_sound(stream::SendSound sound, const SendOptions& options,
                                                stream::Destinations& destinations,
                                                const stream::SendSettings& settings,
                                                std::vector<std::shared_ptr<web::Stream>> variants = {});

// For report and statistics. nullptr gives none.
std::optional<Json> sound_json(const stream::SoundSender* sound);
void print_sound(const stream::SoundSender* sound);

}  // namespace texcast::cli
