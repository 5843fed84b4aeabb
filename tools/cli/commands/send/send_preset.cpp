#include "send/send_preset.h"

#include <fmt/core.h>

#include <string>

#include "base/log.h"
#include "cli/coded_formats.h"
#include "cli/presets.h"
#include "screen/open_capture.h"
#include "send/send_wire.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

// An explicit format, quality or method disables the desktop preset, and so does an option that requires a raw stream.
bool is_for_a_desktop(const SendOptions& o) {
  const EncodingOptions usual;
  return !o.purpose && screen::capture_target(o.input.input) && !reason_for_raw(o) && !o.encoding.format.is_given &&
         o.encoding.quality == usual.quality && !o.encoding.method && o.encoding.options == usual.options;
}

// The option that keeps the stream from being lossy, and why. None: it can be.
std::optional<RawReason> reason_for_lossless(const SendOptions& o) {
  if (auto raw = reason_for_raw(o)) return raw;
  const TextureFormat format = o.encoding.format;
  if (has_lossy_coding(format)) return std::nullopt;
  return RawReason{.option = fmt::format("--format {}", name(format)),
                   .why = fmt::format("{} has no lossy coding", name(format)),
                   .by_format = true};
}

[[noreturn]] void throw_excluded(const Preset& preset, const RawReason& reason, bool in_config_file) {
  throw Error(ErrorKind::usage,
              fmt::format("--for {} excludes {}{}: the preset is a lossy coded stream ({}), and {}; leave out one of "
                          "them{}",
                          preset.name, reason.option, in_config_file ? " (of the config file)" : "", preset.what,
                          reason.why, reason.by_format ? ", or choose one of " + list_lossy_formats() : ""));
}

SendOptions with_values_of(const Preset& preset, SendOptions o) {
  if (preset.format && !o.encoding.format.is_given) o.encoding.format.value = *preset.format;
  const bool can_have_parity = o.fec.kind == transport::FecKind::automatic && !has_ultragrids_cipher(o);
  if (preset.parity_percent && can_have_parity)
    o.fec = {.kind = transport::FecKind::parity, .percent = *preset.parity_percent};
  if (!o.lossy.crf) o.lossy.crf = preset.crf;
  if (!o.lossy.bitrate && preset.bitrate)
    o.lossy.bitrate = RateRange{.least = preset.bitrate->least, .most = preset.bitrate->most};
  return o;
}

}  // namespace

SendOptions with_preset(const SendOptions& given) {
  SendOptions o = given;
  if (is_for_a_desktop(o)) {
    o.purpose = Purpose::desktop;
    o.lossy_by_default = !o.lossy;
    return with_values_of(preset_of(Purpose::desktop), std::move(o));
  }
  const Preset& preset = preset_of(o.purpose.value_or(Purpose::texcast));
  const auto excluded = preset.is_lossy() ? reason_for_lossless(o) : std::nullopt;
  if (!excluded) return with_values_of(preset, std::move(o));
  const SendOptions& typed = as_given(o);
  const bool is_option_typed = reason_for_lossless(typed).has_value();
  if (typed.purpose || !is_option_typed) throw_excluded(preset, *excluded, !is_option_typed);
  log_info("{} replaces the preset of the config file, for = \"{}\"", excluded->option, preset.name);
  o.purpose.reset();
  return o;
}

void check_promise(const SendOptions& o, TextureFormat format) {
  if (!o.purpose || o.lossy_by_default || !preset_of(*o.purpose).is_lossy() || has_lossy_coding(format)) return;
  SendOptions changed = o;
  changed.encoding.format = format;
  throw_excluded(preset_of(*o.purpose), *reason_for_lossless(changed), false);
}

}  // namespace texcast::cli
