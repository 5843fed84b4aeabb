// latency_figures.h — latencies in reports: medians and what 95 of 100 stay below, in milliseconds.
#pragma once

#include "base/latency.h"
#include "live/texture_sender.h"
#include "text/json_text.h"

namespace texcast::cli {

Json latency_json(double p50_ms, double p95_ms);
Json latency_json(const LatencyWindow& window);
// The row of what a sender knows by itself.
void print_sent_latency(const stream::SentStatus& sent);

}  // namespace texcast::cli
