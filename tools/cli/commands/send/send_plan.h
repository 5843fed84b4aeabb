// send_plan.h — what `send` makes a stream of, from its options, and again where that changes while it runs.
#pragma once

#include <memory>

#include "cli/options.h"
#include "live/destinations.h"
#include "stream/steering.h"

namespace texcast::cli {

class SendPlan final : public stream::StreamPlan {
 public:
  // `wire`: wire_settings(options). `options` and `destinations` must outlive this. Throws Error{usage}.
  SendPlan(const SendOptions& options, stream::SendSettings wire, const stream::Destinations& destinations, double fps);
  stream::EncoderChoice choice() const override;
  std::unique_ptr<Encoder> make_encoder(const stream::EncoderChoice& choice, const FrameFormat& source,
                                        EncoderStart start) const override;
  stream::SendSettings settings(const TextureDesc& texture) const override;

 private:
  stream::CompactSettings with_loss(TextureFormat format) const;

  const SendOptions& options_;
  stream::SendSettings wire_;
  const bool real_time_;
};

}  // namespace texcast::cli
