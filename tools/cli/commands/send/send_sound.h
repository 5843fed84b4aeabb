// send_sound.h — which sound `send` sends, and how, from its options.
#pragma once

#include <memory>
#include <optional>

#include "cli/options.h"
#include "live/destinations.h"
#include "live/paced_sender.h"
#include "media/frame_source.h"
#include "stream/sound_sender.h"
#include "text/json_text.h"

namespace texcast::cli {

// Null where there is none to send: nobody asked for any and the input has none. It goes to the addresses, and into the
// captures of `destinations`, which outlive it. Throws Error{usage} where options do not go together, Error{input}
// where what was asked for cannot be opened.
std::unique_ptr<stream::SoundSender> open_sound(const SendOptions& options, const media::FrameSource& source,
                                                stream::Destinations& destinations,
                                                const stream::SendSettings& settings);

// That sound, with what the options say of its coding and its way. The same of `destinations`. Throws Error{network}.
std::unique_ptr<stream::SoundSender> send_sound(stream::SendSound sound, const SendOptions& options,
                                                stream::Destinations& destinations,
                                                const stream::SendSettings& settings);

// Of the report and the statistics; null: nothing.
std::optional<Json> sound_json(const stream::SoundSender* sound);
void print_sound(const stream::SoundSender* sound);

}  // namespace texcast::cli
