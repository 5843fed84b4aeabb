// quality.h — how much time an encoder may take for how good a picture, and which formats have which methods.
//
// Thread-safe: values and functions only. All functions: Error{misuse} (error.h) where a format, or a quality or method
// whose name is asked for, is none; a quality or method that a format does not have is an answer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/method.h"

namespace texcast {

enum class Quality : uint8_t { fast, normal, high, best };
inline constexpr std::array kQualities = {Quality::fast, Quality::normal, Quality::high, Quality::best};

TEXCAST_API std::string_view name(Quality quality);
TEXCAST_API std::optional<Quality> quality_from_name(std::string_view name);

// Which of them a format has today, in words for messages ("fast, normal").
TEXCAST_API bool has_quality(TextureFormat format, Quality quality);
TEXCAST_API std::string list_qualities(TextureFormat format);
TEXCAST_API bool has_method(TextureFormat format, Method method);
TEXCAST_API std::string list_methods(TextureFormat format);

// The best method of its class, by measurement. Misuse where the format does not have the quality.
TEXCAST_API Method method_for(TextureFormat format, Quality quality);

// What a method can be told besides. One value from the command line to the kernel, checked in one place (why_not).
struct TEXCAST_API MethodOptions {
  // Index 3 of three-colour BC1 blocks as black: better dark parts and text, for readers that take the texture as RGB.
  // Where it is read as RGBA those texels are holes.
  bool allow_black = false;
  std::optional<int> passes{};  // of LSpiro's step 2: regressions, 1..kMaxLspiroPasses; nothing: kUsualPasses
  std::optional<int> radius{};  // of its step 3: 5-6-5 codes up and down, 1..kMaxLspiroRadius; nothing: kUsualRadius
  int passes_or_usual() const;
  int radius_or_usual() const;
  bool operator==(const MethodOptions&) const = default;
};
inline constexpr int kMaxLspiroPasses = 16, kUsualPasses = 3;
inline constexpr int kMaxLspiroRadius = 4, kUsualRadius = 1;

enum class MethodOption { black, passes, radius };
TEXCAST_API bool has_option(TextureFormat format, Method method, MethodOption option);
// Those of them that the method has; the rest as nobody had set them.
TEXCAST_API MethodOptions options_of(TextureFormat format, Method method, const MethodOptions& options);

// Why a format cannot be encoded so, one line that says what it has instead; nothing where it can. `method`: instead of
// the quality's own.
TEXCAST_API std::optional<std::string> why_not(TextureFormat format, Quality quality, std::optional<Method> method,
                                               const MethodOptions& options);

}  // namespace texcast
