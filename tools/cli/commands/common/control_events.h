// control_events.h — the data of --control events, as control/table.h describes them.
#pragma once

#include <string>

#include "stream/recording.h"
#include "stream/steering.h"
#include "text/json_text.h"
#include "transport/stream.h"

namespace texcast::cli {

Json stream_event(const stream::SendState& stream);
// Bits per second; "MIN:MAX" for a range, null for none.
Json bitrate_json(const std::optional<stream::Bitrate>& bitrate);
Json stream_event(const transport::StreamDesc& stream);
Json recording_started(const std::string& file);
Json recording_stopped(const stream::RecordingReport& report);
// `what`: what happened to the address, as "added".
Json address_event(const std::string& address, const char* what);

}  // namespace texcast::cli
