#include "serve/serve_clip.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "base/log.h"
#include "cli/interrupt.h"
#include "common/web_gate.h"
#include "files/texture_files.h"
#include "media/audio_reader.h"
#include "media/clip_reader.h"
#include "serve/serve_report.h"
#include "stream/clip_sender.h"
#include "stream/sound_sender.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

// Opens what `play` opens. Ordinary video has to be compressed first.
std::unique_ptr<media::ClipReader> open_clip(const std::string& path, const std::string& destination) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && !media::is_clip(path))
    throw Error(ErrorKind::input, fmt::format("'{0}' is no texture file; `texcast send {0} {1}` compresses it while it "
                                              "is sent, and `texcast encode` makes a texture file of it",
                                              path, destination));
  return open_texture_file(path);
}

stream::SendSettings settings_for(const media::ClipInfo& clip, const stream::Destinations& destinations) {
  stream::SendSettings settings;
  settings.fps = stream::stream_rate(clip);
  settings.mtu = destinations.usual_mtu();
  settings.spread = destinations.usual_spread();
  // A viewer whose connection is too slow loses many packets in a row, which parity does not restore.
  settings.wire = {.fec = {}, .answers_requests = true};
  return settings;
}

// Its reader is nullptr if the file has no sound, or none is wanted.
stream::SendSound open_sound(const StreamOptions& o) {
  stream::SendSound sound{.reader = nullptr, .begin = {}, .live = nullptr, .name = {}};
  if (!o.no_audio) sound.reader = media::open_audio(o.source);
  if (sound.reader)
    sound.name =
        fmt::format("{} of {}", sound.reader->codec_name(), std::filesystem::path(o.source).filename().string());
  return sound;
}

std::unique_ptr<stream::SoundSender> send_sound(stream::SendSound sound, const stream::Destinations& destinations) {
  if (!sound.reader) return nullptr;
  stream::SoundSettings settings;
  settings.wire.parity = false;
  settings.wire.viewers = destinations.web_streams();
  return std::make_unique<stream::SoundSender>(std::move(sound), destinations.urls(), stream::NetworkChoice{},
                                               settings);
}

}  // namespace

int serve_clip(const ServeOptions& o) {
  const StreamOptions& s = o.stream;
  auto clip = open_clip(s.source, o.destinations.front());
  const media::ClipInfo info = clip->info();
  stream::StatsLog stats(s.stats_json);
  WebGate gate(o.web, std::filesystem::path(s.source).filename().string(), false);
  stream::SendSound sound_of_file = open_sound(s);
  const web::StreamOffer offer = offer_of(info.texture.format, sound_of_file.reader != nullptr, false);
  stream::Destinations destinations(o.destinations,
                                    {.open_web = [&](const std::string& url) { return gate.open(url, offer); },
                                     .most_viewers = static_cast<size_t>(o.web.most_viewers.value_or(kUsualViewers))},
                                    true, IfExists::refuse, stream::coding_of({}, info.texture.format));
  const auto sound = send_sound(std::move(sound_of_file), destinations);
  log_info("serving {}: {}x{} {}, {:.4g} fps", s.source, info.texture.width, info.texture.height,
           name(info.texture.format), stream::stream_rate(info));
  gate.invite();
  ServeFigures figures(gate);
  stream::ClipReport report;
  {
    ServeDisplay display;
    report = stream::send_clip(
        std::move(clip), destinations, settings_for(info, destinations), {.loop = o.loop}, interrupt_flag(),
        [&](const stream::ClipReport& now) {
          figures.update(now.sent.bytes, steady_now());
          display.show(figures);
          if (stats.due(steady_now())) stats.write(stats_line(now, figures), steady_now());
        },
        sound.get());
  }
  const std::vector<web::ViewerStatus> viewers = gate.viewers();
  stats.write(stats_line(report, figures), steady_now());
  report_served(s, info, report, figures, viewers);
  if (report.damaged > 0 && !interrupted())
    throw Error(ErrorKind::corrupt, fmt::format("{} of '{}' could not be served: {}", plural(report.damaged, "frame"),
                                                s.source, report.first_damage));
  return 0;
}

}  // namespace texcast::cli
