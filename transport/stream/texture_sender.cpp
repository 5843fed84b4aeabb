#include "stream/texture_sender.h"

#include <random>
#include <string>

#include "base/ensure.h"
#include "compact/transform_choice.h"
#include "stream/compact_sender.h"
#include "stream/paced_sender.h"
#include "texcast/error.h"
#include "transport/fec_spec.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::stream {

void TextureSender::set_quality(std::optional<double>, std::optional<Bitrate>) { ENSURE(!"a lossy coded stream"); }

// Raw streams have nothing to prepare.
void TextureSender::rehearse(const EncodedFrame&) {}
Rehearsal TextureSender::rehearsal() { return Rehearsal::over; }
void TextureSender::code_ahead(const EncodedFrame&) {}

bool goes_compact(const SendSettings& settings, TextureFormat format) {
  return settings.compact.on && CompactSender::can_send(format) && !transport::is_ultragrid(settings.wire.fec) &&
         !transport::ultragrid_mode(settings.wire.crypto);
}

bool can_go_lossy(TextureFormat format) { return compact::TileGrid::can_be_lossy(format); }
bool can_have_transform(TextureFormat format) { return compact::TileGrid::can_have_transform(format); }

bool has_transform(const CompactSettings& settings, TextureFormat format) {
  return settings.is_lossy() && compact::chooses_transform(settings.transform, format);
}

uint8_t coding_of(const SendSettings& settings, TextureFormat format) {
  if (!goes_compact(settings, format)) return 0;
  return compact::TileGrid::codec_version(format, settings.compact.is_lossy(), has_transform(settings.compact, format));
}

StreamIdentity new_identity(const SendSettings& settings) {
  std::random_device random;
  StreamIdentity identity{.numbers = std::make_shared<transport::RtpNumbering>(
                              transport::RtpNumbering::Settings{.ssrc = random(),
                                                                .first_sequence = static_cast<uint16_t>(random()),
                                                                .first_buffer_id = random() & 0x3FFFFF,
                                                                .timestamp_offset = random(),
                                                                .fps = settings.fps})};
  if (settings.wire.crypto == transport::CryptoChoice::texcast)
    identity.sealer = std::make_shared<transport::Sealer>(*settings.wire.keys);
  return identity;
}

std::unique_ptr<TextureSender> make_texture_sender(Destinations& destinations, const SendSettings& settings,
                                                   const TextureDesc& texture, AutoResetEvent& progress,
                                                   const StreamIdentity& identity) {
  if (!identity.numbers) return make_texture_sender(destinations, settings, texture, progress, new_identity(settings));
  if (settings.compact.is_lossy() && (!goes_compact(settings, texture.format) || !can_go_lossy(texture.format)))
    throw Error(ErrorKind::usage,
                std::string(name(texture.format)) +
                    " has no lossy coding; choose bc1, bc3, bc4, bc5 or ycocg-bc4, or leave out crf and bitrate");
  if (settings.compact.is_lossy() && settings.compact.transform == TransformCoding::on &&
      !can_have_transform(texture.format))
    throw Error(ErrorKind::usage,
                std::string(name(texture.format)) +
                    " has no transform coding; choose ycocg-bc4, ycocg-bc4-422 or ycocg-bc4-444, or leave it to auto");
  destinations.expect_coding(coding_of(settings, texture.format));
  if (goes_compact(settings, texture.format))
    return std::make_unique<CompactSender>(destinations, settings, texture, progress, identity);
  return make_paced_sender(destinations, settings, texture, progress, identity);
}

}  // namespace texcast::stream
