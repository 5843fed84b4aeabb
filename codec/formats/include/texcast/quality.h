// quality.h — how much time an encoder may take for how good a picture, and which formats have which methods.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "texcast/format.h"
#include "texcast/method.h"

namespace texcast {

enum class Quality : uint8_t { fast, normal, high, best };
inline constexpr std::array kQualities = {Quality::fast, Quality::normal, Quality::high, Quality::best};

std::string_view name(Quality quality);
std::optional<Quality> quality_from_name(std::string_view name);

// How far LSpiro's later steps go. Other methods do not look at it.
struct LspiroSettings {
  int passes = 3;  // lspiro2, lspiro3: regressions of step 2, 1..kMaxLspiroPasses
  int radius = 1;  // lspiro3: 5-6-5 codes up and down that step 3 looks at, 1..kMaxLspiroRadius
};
inline constexpr int kMaxLspiroPasses = 16;
inline constexpr int kMaxLspiroRadius = 4;

// Whether the method has passes, has a radius.
bool has_passes(Method method);
bool has_radius(Method method);
bool in_range(const LspiroSettings& settings);

// Which of them a format has today, in words for messages ("fast, normal").
bool has_quality(TextureFormat format, Quality quality);
std::string list_qualities(TextureFormat format);
bool has_method(TextureFormat format, Method method);
std::string list_methods(TextureFormat format);

// Whether the method has three-colour BC1 blocks with index 3, black (EncoderSettings::allow_black).
bool can_use_black(TextureFormat format, Method method);
std::string list_black_methods();

// The best method of its class, by measurement. Misuse where the format does not have the quality.
Method method_for(TextureFormat format, Quality quality);

}  // namespace texcast
