#include "send/send_preset.h"

#include "cli/presets.h"
#include "screen/open_capture.h"
#include "stream/texture_sender.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::cli {
namespace {

bool has_ultragrids_cipher(const SendOptions& o) { return o.crypto && transport::ultragrid_mode(*o.crypto); }

// Whether no option requires a raw stream.
bool may_go_compact(const SendOptions& o) {
  return !o.plain && o.purpose != Purpose::ultragrid && !transport::is_ultragrid(o.fec) && !has_ultragrids_cipher(o);
}

// An explicit format, quality or method disables the desktop preset, and so does an option that requires a raw stream.
bool is_for_a_desktop(const SendOptions& o) {
  const EncodingOptions usual;
  return !o.purpose && screen::capture_target(o.input.input) && may_go_compact(o) && !o.encoding.format.is_given &&
         o.encoding.quality == usual.quality && !o.encoding.method && o.encoding.options == usual.options;
}

}  // namespace

SendOptions with_preset(const SendOptions& given) {
  SendOptions o = given;
  if (is_for_a_desktop(o)) o.purpose = Purpose::desktop;
  const Preset& preset = preset_of(o.purpose.value_or(Purpose::texcast));
  if (preset.format && !o.encoding.format.is_given) o.encoding.format.value = *preset.format;
  if (preset.parity_percent && o.fec.kind == transport::FecKind::automatic && !has_ultragrids_cipher(o))
    o.fec = {.kind = transport::FecKind::parity, .percent = *preset.parity_percent};
  if (!may_go_compact(o) || !stream::can_go_lossy(o.encoding.format)) return o;
  o.lossy_by_preset = !o.lossy && preset.lossy;
  if (!o.lossy.crf) o.lossy.crf = preset.lossy.crf;
  if (!o.lossy.bitrate) o.lossy.bitrate = preset.lossy.bitrate;
  return o;
}

}  // namespace texcast::cli
