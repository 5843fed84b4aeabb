#include "common/latency_figures.h"

#include <fmt/core.h>

#include "text/figures.h"

namespace texcast::cli {

Json latency_json(double p50_ms, double p95_ms) { return Json::object({{"p50", p50_ms}, {"p95", p95_ms}}); }

Json latency_json(const LatencyWindow& window) {
  return latency_json(window.milliseconds(0.5), window.milliseconds(0.95));
}

void print_sent_latency(const stream::SentStatus& sent) {
  print_row("latency",
            fmt::format("encode {:.1f} / {:.1f} ms, send {:.1f} / {:.1f} ms (p50 / p95)", sent.encode.milliseconds(0.5),
                        sent.encode.milliseconds(0.95), sent.send.milliseconds(0.5), sent.send.milliseconds(0.95)));
}

}  // namespace texcast::cli
