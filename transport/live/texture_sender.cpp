#include "live/texture_sender.h"

#include "live/compact_sender.h"
#include "live/paced_sender.h"
#include "transport/fec_spec.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::stream {

bool goes_compact(const SendSettings& settings, TextureFormat format) {
  return settings.compact.on && CompactSender::can_send(format) && !transport::is_ultragrid(settings.wire.fec) &&
         !transport::ultragrid_mode(settings.wire.crypto);
}

std::unique_ptr<TextureSender> make_texture_sender(Destinations& destinations, const SendSettings& settings,
                                                   const TextureDesc& texture, AutoResetEvent& progress) {
  if (goes_compact(settings, texture.format))
    return std::make_unique<CompactSender>(destinations, settings, texture, progress);
  return make_paced_sender(destinations, settings, texture, progress);
}

}  // namespace texcast::stream
