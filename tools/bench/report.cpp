#include "bench/report.h"

#include <fmt/core.h>

namespace texcast::bench {

std::string heading(const DeviceInfo& device) {
  return fmt::format("{} ({}, driver {})", device.name, device.platform, device.driver);
}
std::string heading(const DeviceInfo& device, const FrameFormat& source) {
  return fmt::format("{}, {}x{} {}", heading(device), source.width, source.height, name(source.pixel_format));
}

void add_spread(Json& json, const tuner::Spread& time) {
  json["rounds"] = time.rounds;
  json["min_us"] = time.min_us;
  json["median_us"] = time.median_us;
  json["max_us"] = time.max_us;
}

namespace {

Json to_json(const tuner::Row& row, const tuner::Tuning& winner) {
  Json json = Json::object({{"name", tuner::describe(row.tuning)},
                            {"form", tuner::name(row.tuning.form)},
                            {"source_memory", tuner::name(row.tuning.source_memory)}});
  if (row.tuning.form == stages::Form::wide) json["group_size"] = row.tuning.group_size;
  if (row.tuning.form == stages::Form::group) json["blocks_per_group"] = row.tuning.blocks_per_group;
  if (!row.left_out.empty()) {
    json["left_out"] = row.left_out;
    return json;
  }
  json["winner"] = row.tuning == winner;
  add_spread(json, row.time);
  return json;
}

}  // namespace

Json to_json(const tuner::Table& table, const stages::StageSettings& settings) {
  Json forms = Json::array();
  for (const tuner::Row& row : table.rows) forms.push(to_json(row, table.winner));
  return Json::object({{"format", name(settings.texture)},
                       {"method", name(settings.method)},
                       {"height", table.height},
                       {"winner", tuner::describe(table.winner)},
                       {"forms", std::move(forms)}});
}

}  // namespace texcast::bench
