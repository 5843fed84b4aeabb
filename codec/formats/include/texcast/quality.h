// quality.h — the trade-off between encoding time and picture quality, and the methods that each format has.
//
// Thread-safe: values and functions only. Functions throw Error{misuse} (error.h) for a format that does not exist, or
// for the name of a quality or method that does not exist. A quality or method that a format does not have is not an
// error.
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

// Which of them a format has, and the list as text for messages ("fast, normal").
TEXCAST_API bool has_quality(TextureFormat format, Quality quality);
TEXCAST_API std::string list_qualities(TextureFormat format);
TEXCAST_API bool has_method(TextureFormat format, Method method);
TEXCAST_API std::string list_methods(TextureFormat format);

// The best method of this quality, by measurement. Misuse if the format does not have the quality.
TEXCAST_API Method method_for(TextureFormat format, Quality quality);

// Options of a method. The same value is passed from the command line to the kernel, and checked in one place
// (why_not).
struct TEXCAST_API MethodOptions {
  // Uses index 3 of three-colour BC1 blocks as black: better dark areas and text, for readers that take the texture as
  // RGB. In readers that take it as RGBA these texels are transparent.
  bool allow_black = false;
  std::optional<int> passes{};  // LSpiro step 2: number of regressions, 1..kMaxLspiroPasses; nothing: kUsualPasses
  std::optional<int> radius{};  // LSpiro step 3: 5-6-5 codes up and down, 1..kMaxLspiroRadius; nothing: kUsualRadius
  int passes_or_usual() const;
  int radius_or_usual() const;
  bool operator==(const MethodOptions&) const = default;
};
inline constexpr int kMaxLspiroPasses = 16, kUsualPasses = 3;
inline constexpr int kMaxLspiroRadius = 4, kUsualRadius = 1;

enum class MethodOption { black, passes, radius };
TEXCAST_API bool has_option(TextureFormat format, Method method, MethodOption option);
// Returns `options` with those that the method does not have at their defaults.
TEXCAST_API MethodOptions options_of(TextureFormat format, Method method, const MethodOptions& options);

// Why a format cannot be encoded in this way: one line that also names the alternatives. Nothing if it can. `method`
// overrides the method of the quality.
TEXCAST_API std::optional<std::string> why_not(TextureFormat format, Quality quality, std::optional<Method> method,
                                               const MethodOptions& options);

}  // namespace texcast
