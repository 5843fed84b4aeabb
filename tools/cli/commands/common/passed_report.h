// passed_report.h — what `relay` and `serve` report alike of a stream that passes: its network, sound, repeated packets
// and requests for tiles.
#pragma once

#include <string_view>

#include "stream/relay_news.h"
#include "stream/stream_report.h"
#include "text/json_text.h"

namespace texcast::cli {

double seconds_of(const stream::PassedStream& passed);  // from its first frame to its last; 0 without frames
void add_passed(stream::StatsLine& line, const stream::PassedStream& passed);
void add_passed(Json& json, const stream::PassedStream& passed);
// Rows of the printed report. `verb`: "relayed"; `whose`: who requests, in the plural.
void print_passed(std::string_view verb, const stream::PassedStream& passed, std::string_view whose);

}  // namespace texcast::cli
