#include "source_core.h"

#include <algorithm>

#include "key_file.h"
#include "texcast/device.h"
#include "words.h"

namespace texcast::gstreamer {
namespace {

constexpr double kExpectedFps = 120;
constexpr size_t kLeastWaiting = 6, kMostWaiting = 600;
constexpr size_t kTaken = 2;  // frames that downstream decodes

}  // namespace

size_t most_waiting(nanoseconds latency) {
  const auto frames = static_cast<size_t>(in_seconds(latency) * kExpectedFps);
  return std::clamp(frames, kLeastWaiting, kMostWaiting);
}

StreamReceiverSettings receiver_settings(const SourceSettings& settings) {
  StreamReceiverSettings s = settings.stream;
  s.listen = with_scheme(s.listen);
  s.from = words_of(settings.from);
  if (!settings.key_file.empty()) s.passphrase = passphrase_in(settings.key_file);
  s.textures_kept = most_waiting(settings.latency) + kTaken;
  return s;
}

void require_device(const SourceSettings& settings) {
  if (!settings.device.empty()) choose_device(settings.device);
}

}  // namespace texcast::gstreamer
