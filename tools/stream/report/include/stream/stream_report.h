// stream_report.h — what `play` and `receive` tell of a stream, for people, --json and --stats-json.
#pragma once

#include "stream/recording.h"
#include "stream/stats_log.h"
#include "stream/stream_receiver.h"
#include "text/json_text.h"

namespace texcast::stream {

// Adds what the network did; `dropped`: frames, by cause.
void add_network(stream::StatsLine& line, const stream::StreamStatus& status, const stream::Counts& dropped);
void add_network(Json& json, const stream::StreamStatus& status, const stream::Counts& dropped, double seconds);
void add_recording(Json& json, const stream::RecordingReport& recording);

void print_network(const stream::StreamStatus& status, const stream::Counts& dropped, double seconds);
void print_recording(const stream::RecordingReport& recording);

// Throws the Error that says why no frame came at all.
[[noreturn]] void throw_nothing_came(const std::string& source, const stream::StreamStatus& status);

}  // namespace texcast::stream
