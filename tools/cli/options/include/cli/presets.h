// presets.h — what `send --for WORD` sets: a row of one table for each word. What a user says beside it holds instead.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/values.h"
#include "texcast/format.h"

namespace texcast::cli {

// Whom or what a stream is for.
enum class Purpose { texcast, ultragrid, desktop, film, lan, wifi };

struct Preset {
  Purpose purpose{};
  const char* name = "";
  const char* what = "";                  // for people, in a few words
  std::optional<TextureFormat> format{};  // none: as without a preset
  LossyOptions lossy{};
  std::optional<int> parity_percent{};    // against loss of packets; none: the usual
};

std::span<const Preset> presets();
const Preset& preset_of(Purpose purpose);
Result<Purpose> parse_purpose(std::string_view text);
std::string list_purposes();  // "texcast, ultragrid, desktop …", as the table has them

}  // namespace texcast::cli
