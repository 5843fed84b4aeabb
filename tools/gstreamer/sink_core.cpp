#include "sink_core.h"

#include "key_file.h"
#include "words.h"

namespace texcast::gstreamer {
namespace {

constexpr double kUsualFps = 60;

}  // namespace

std::vector<std::string> destinations_of(const std::string& property) {
  std::vector<std::string> urls = words_of(property);
  for (std::string& url : urls) url = with_scheme(url);
  return urls;
}

SenderPlan plan_of(const SinkSettings& settings, const FrameFormat& format, double caps_fps) {
  SenderPlan plan{.stream = settings.stream, .encoder = settings.encoder};
  plan.stream.destinations = destinations_of(settings.destination);
  if (plan.stream.fps <= 0) plan.stream.fps = caps_fps > 0 ? caps_fps : kUsualFps;
  if (!settings.key_file.empty()) plan.stream.passphrase = passphrase_in(settings.key_file);
  plan.stream.quality = settings.encoder.quality;
  plan.encoder.source = format;
  return plan;
}

}  // namespace texcast::gstreamer
