#include "control/timing.h"

namespace texcast::control {
namespace {

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

Json to_json(const PlayerTiming& timing) {
  Json json = Json::object({{"frame", timing.has_frame ? Json(timing.frame) : Json()},
                            {"stamp_ns", timing.stamp_ns},
                            {"due_ns", timing.due_ns},
                            {"shown_ns", timing.shown_ns},
                            {"delay_ms", optional_number(timing.delay_ms)},
                            {"behind_ms", optional_number(timing.behind_ms)},
                            {"refresh_ms", timing.refresh_ms}});
  json["frames"] = Json::object(
      {{"shown", timing.shown}, {"late", timing.late}, {"early", timing.early}, {"missed", timing.missed}});
  json["clock"] = Json::object({{"system", timing.by_system},
                                {"kept_by", timing.clock},
                                {"error_ms", optional_number(timing.error_ms)},
                                {"now_ns", timing.now_ns}});
  return json;
}

}  // namespace texcast::control
