// web_variants.h — the formats that `send` offers to browsers beside the stream's own, for GPUs that do not take that.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cli/options.h"
#include "common/web_gate.h"
#include "live/destinations.h"
#include "send/send_plan.h"
#include "stream/send_pipeline.h"

namespace texcast::cli {

// The formats that --web-formats asks for, or else one of each family that some GPUs take alone, without those for
// which the stream's own format does.
std::vector<TextureFormat> variant_formats(const std::optional<std::vector<TextureFormat>>& chosen, TextureFormat own);

// The stream's options with another format, without transform coding. Formats for telephones have no lossy coding. The
// stream is not sealed: only the servers get it.
SendOptions options_of_variant(const SendOptions& options, TextureFormat format);

class WebVariants {
 public:
  // Adds a stream for each format to the servers of `gate` that listen; none if it is not open. `options` are those of
  // the stream, with its preset.
  WebVariants(const SendOptions& options, WebGate& gate, double fps);

  std::span<const stream::VariantPlan> plans() const { return plans_; }
  // The stream's sound goes to these too.
  std::vector<std::shared_ptr<web::Stream>> streams() const;
  // Whether there is sound, to viewers.
  void offer(bool has_sound, bool is_sealed);

 private:
  struct Variant {
    SendOptions options;
    std::unique_ptr<stream::Destinations> destinations{};
    std::unique_ptr<SendPlan> plan{};
  };
  std::vector<std::unique_ptr<Variant>> variants_;
  std::vector<stream::VariantPlan> plans_;
};

}  // namespace texcast::cli
