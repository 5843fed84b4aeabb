// quality.h — how much time an encoder may take for how good a picture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "texcast/format.h"

namespace texcast {

enum class Quality : uint8_t { fast, normal, high, best };

std::string_view name(Quality quality);
std::optional<Quality> quality_from_name(std::string_view name);

// Which qualities a format has today, in words for messages ("fast, normal").
bool has_quality(TextureFormat format, Quality quality);
std::string list_qualities(TextureFormat format);

}  // namespace texcast
