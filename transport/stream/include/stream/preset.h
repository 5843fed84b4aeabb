// preset.h — the presets of streams, one table row each: of `send --for PURPOSE` and of apply_preset()
// (texcast/stream_preset.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stream/texture_sender.h"
#include "texcast/format.h"

namespace texcast::stream {

// The receiver, content or network that a stream is for.
enum class Purpose { texcast, ultragrid, desktop, film, lan, wifi };

struct Preset {
  Purpose purpose{};
  const char* name = "";
  const char* what = "";                  // a short description
  std::optional<TextureFormat> format{};  // none: the usual one
  // Lossy coding; none of both: lossless.
  std::optional<double> crf{};
  std::optional<Bitrate> bitrate{};
  std::optional<int> parity_percent{};  // FEC; none: the usual amount
  bool is_lossy() const { return crf || bitrate; }
};

std::span<const Preset> presets();
const Preset& preset_of(Purpose purpose);
const Preset* find_preset(std::string_view name);  // null: no preset has it; upper-case letters are lower-case ones
std::string preset_names();                        // "texcast, ultragrid, desktop …", in the table's order

// The FEC for UltraGrid, as in `--fec`: its own default for `-f rs`; "none" for a size that it does not support.
std::string ultragrid_fec(int width, int height);

}  // namespace texcast::stream
