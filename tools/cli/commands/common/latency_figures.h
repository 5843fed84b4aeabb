// latency_figures.h — latencies in reports: median and 95th percentile in milliseconds.
#pragma once

#include "base/latency.h"
#include "stream/texture_sender.h"
#include "text/json_text.h"

namespace texcast::cli {

Json latency_json(double p50_ms, double p95_ms);
Json latency_json(const LatencyWindow& window);
// Prints the row of the latencies that a sender measures: encode and send.
void print_sent_latency(const stream::SentStatus& sent);

}  // namespace texcast::cli
