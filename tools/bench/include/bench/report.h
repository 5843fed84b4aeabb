// report.h — parts of the reports of all measurements: the device, times, and the tuner's table, for people and as
// JSON. Tables for people have lines of at most 120 characters, each with a line end.
#pragma once

#include <string>

#include "text/json_text.h"
#include "tuner/tune.h"

namespace texcast::bench {

// "NVIDIA H200 (NVIDIA CUDA, driver 580.1)" and ", 1920x1080 nv12", without an end of line.
std::string heading(const DeviceInfo& device);
std::string heading(const DeviceInfo& device, const FrameFormat& source);

void add_spread(Json& json, const tuner::Spread& time);
// The settings are those that were tuned.
Json to_json(const tuner::Table& table, const stages::StageSettings& settings);

}  // namespace texcast::bench
