#include "common/control_events.h"

#include <fmt/core.h>

#include "textures/stream_format.h"

namespace texcast::cli {

Json bitrate_json(const std::optional<stream::Bitrate>& bitrate) {
  if (!bitrate) return {};
  if (bitrate->least == bitrate->most) return Json(bitrate->most);
  return Json(fmt::format("{:.0f}:{:.0f}", bitrate->least, bitrate->most));
}

Json stream_event(const stream::SendState& stream) {
  return Json::object({{"format", name(stream.choice.format)},
                       {"width", stream.texture.width},
                       {"height", stream.texture.height},
                       {"quality", name(stream.choice.quality)},
                       {"method", stream.choice.method ? Json(name(*stream.choice.method)) : Json()},
                       {"rate", stream.rate_bits_per_s ? Json(*stream.rate_bits_per_s) : Json()},
                       {"crf", stream.crf ? Json(*stream.crf) : Json()},
                       {"bitrate", bitrate_json(stream.bitrate)},
                       {"device", stream.device}});
}

Json stream_event(const transport::StreamDesc& stream) {
  const auto texture = stream::texture_of(stream);
  return Json::object({{"format", texture ? Json(name(texture->format)) : Json()},
                       {"width", stream.width},
                       {"height", stream.height},
                       {"fps", stream.fps},
                       {"coding", stream.compact() ? "compact" : "raw"}});
}

Json recording_started(const std::string& file) { return Json::object({{"what", "started"}, {"file", file}}); }

Json recording_stopped(const stream::RecordingReport& report) {
  Json json =
      Json::object({{"what", "stopped"}, {"files", report.files}, {"frames", report.frames}, {"bytes", report.bytes}});
  if (report.failure)
    json["error"] = report.failure->what();
  else if (!report.full.empty())
    json["error"] = report.full;
  else if (!report.refusal.empty())
    json["error"] = report.refusal;
  return json;
}

Json address_event(const std::string& address, const char* what) {
  return Json::object({{"address", address}, {"what", what}});
}

}  // namespace texcast::cli
