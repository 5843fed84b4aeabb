#include "send/send_sound.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "media/test_sound.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

using stream::SendSound;

constexpr const char* kMonitor = "pulse:@DEFAULT_MONITOR@";  // the audio that the desktop plays

void require_sound_not(bool contradiction, const std::string& why) {
  if (contradiction) throw Error(ErrorKind::usage, why);
}

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(name, ignored);
}

// The audio track of a file, synchronised with the pictures if the input is the same file.
SendSound sound_of_file(const std::string& file, const std::string& input, const media::FrameSource& source) {
  SendSound sound{.reader = media::open_audio(file), .begin = {}, .live = nullptr, .name = {}};
  if (!sound.reader) return sound;
  if (file == input) sound.begin = source.begin().value_or(sound.reader->zero_in_file()) - sound.reader->zero_in_file();
  sound.name = fmt::format("{} of {}", sound.reader->codec_name(), std::filesystem::path(file).filename().string());
  return sound;
}

SendSound sound_named(const std::string& name, const std::string& input, const media::FrameSource& source) {
  if (name == "test") return {.reader = media::open_test_sound(), .begin = {}, .live = nullptr, .name = "test"};
  if (name.starts_with("lavfi:"))
    return {.reader = media::open_sound_graph(name.substr(6)), .begin = {}, .live = nullptr, .name = name};
  if (media::is_live_sound(name))
    return {.reader = nullptr, .begin = {}, .live = media::open_live_sound(name), .name = name};
  SendSound sound = sound_of_file(name, input, source);
  if (!sound.reader)
    throw Error(ErrorKind::input, fmt::format("--audio-source '{}' is not a file with audio; give a file, test, "
                                              "lavfi:GRAPH, alsa:DEVICE or pulse:NAME ({} is what the desktop plays)",
                                              name, kMonitor));
  return sound;
}

// The audio of an input that can be read only once, as the reader of its pictures keeps it.
SendSound sound_of_queue(const std::string& input, const media::FrameSource& source) {
  SendSound sound{.reader = media::open_audio(source.sound(), source.begin().value_or(nanoseconds{})),
                  .begin = {},
                  .live = nullptr,
                  .name = {}};
  if (sound.reader) sound.name = fmt::format("{} of {}", sound.reader->codec_name(), input);
  return sound;
}

// The audio without --audio-source: the input's own track, or for a desktop what it plays, if a PulseAudio server runs.
SendSound usual_sound(const std::string& input, const media::FrameSource& source) {
  if (input.starts_with("screen") || input.starts_with("window:")) {
    try {
      return sound_named(kMonitor, input, source);
    } catch (const Error& error) {
      log_info("sending the desktop without audio: {}", error.what());
    }
  } else if (source.sound()) {
    return sound_of_queue(input, source);
  } else if (is_file(input) && source.begin()) {
    return sound_of_file(input, input, source);
  }
  return {};
}

}  // namespace

std::unique_ptr<stream::SoundSender> open_sound(const SendOptions& o, const media::FrameSource& source,
                                                stream::Destinations& destinations,
                                                const stream::SendSettings& settings,
                                                std::vector<std::shared_ptr<web::Stream>> variants) {
  const bool is_wanted = o.audio && *o.audio != SentAudio::none;
  require_sound_not(o.audio == SentAudio::none && !o.audio_source.empty(), "--audio none excludes --audio-source");
  const bool only_captures = !destinations.real_time();
  require_sound_not(
      only_captures && media::is_live_sound(o.audio_source),
      fmt::format("--audio-source '{}' is live, and a capture alone is written as fast as possible: send to an "
                  "address too, or give a file",
                  o.audio_source));
  if (o.audio == SentAudio::none || (only_captures && o.audio_source.empty() && source.is_live())) return nullptr;
  SendSound sound =
      o.audio_source.empty() ? usual_sound(o.input.input, source) : sound_named(o.audio_source, o.input.input, source);
  if (!sound.reader && !sound.live) {
    if (is_wanted) log_warning("'{}' has no audio; --audio-source gives another source", o.input.input);
    return nullptr;
  }
  return send_sound(std::move(sound), o, destinations, settings, std::move(variants));
}

std::unique_ptr<stream::SoundSender> send_sound(SendSound sound, const SendOptions& o,
                                                stream::Destinations& destinations,
                                                const stream::SendSettings& settings,
                                                std::vector<std::shared_ptr<web::Stream>> variants) {
  stream::SoundSettings wire;
  wire.paced = destinations.real_time();
  if (destinations.has_captures())
    wire.wire.also_to = [&destinations](std::span<const transport::OutgoingPacket> packets, WallTime time) {
      destinations.put_sound(packets, time);
    };
  wire.wire.coding = o.audio == SentAudio::opus ? transport::AudioCoding::opus : transport::AudioCoding::pcm;
  wire.wire.crypto = settings.wire.crypto;
  wire.wire.keys = settings.wire.keys;
  wire.wire.mtu = settings.mtu;
  wire.wire.viewers = destinations.web_streams();
  std::ranges::move(variants, std::back_inserter(wire.wire.viewers));
  wire.wire.parity = settings.wire.fec.kind != transport::FecKind::none;
  log_info("sending audio: {}, {}", o.audio == SentAudio::opus ? "opus" : "pcm", sound.name);
  return std::make_unique<stream::SoundSender>(
      std::move(sound), o.destinations,
      stream::NetworkChoice{.interface = o.interface, .multicast_ttl = o.ttl.value_or(1)}, wire);
}

std::optional<Json> sound_json(const stream::SoundSender* sound) {
  if (sound == nullptr) return std::nullopt;
  const stream::SoundSent sent = sound->sent();
  return Json::object({{"source", sent.name},
                       {"coding", sent.coding},
                       {"seconds", in_seconds(sent.time)},
                       {"packets", sent.wire.packets},
                       {"bytes", sent.wire.bytes}});
}

void print_sound(const stream::SoundSender* sound) {
  if (sound == nullptr) return;
  const stream::SoundSent sent = sound->sent();
  print_row("sound", fmt::format("{} in {}, {:.1f} s in {}", sent.name, sent.coding, in_seconds(sent.time),
                                 plural(sent.wire.packets, "packet")));
}

}  // namespace texcast::cli
