// send_plan.h — encoder and send settings of `send`, by its options, at the start and when the stream changes.
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
  stream::CompactSettings coding_for(TextureFormat format) const;

  const SendOptions& options_;
  stream::SendSettings wire_;
  const stream::Destinations& destinations_;
};

}  // namespace texcast::cli
