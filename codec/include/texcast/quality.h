// quality.h — how much time an encoder may take for how good a picture, and the methods behind it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "texcast/format.h"

namespace texcast {

enum class Quality : uint8_t { fast, normal, high, best };
inline constexpr std::array kQualities = {Quality::fast, Quality::normal, Quality::high, Quality::best};

std::string_view name(Quality quality);
std::optional<Quality> quality_from_name(std::string_view name);

// How the end points of a block are found. docs/measuring.md has what each costs and gives.
enum class Method : uint8_t {
  range,           // BC1: bounding box along the colours' diagonal; BC4: smallest and largest value
  lspiro1,         // BC1: LSpiro step 1, a regression line through each channel's distinct values
  lspiro2,         // BC1: its step 2 besides, regression of what is left, a few passes
  lspiro3,         // BC1: its step 3 besides, the best end points of the neighbourhood
  refine_once,     // BC1: range and one least-squares fit
  refine,          // BC1: range and two fits, the best of them; BC4: range and one fit
  cluster,         // BC1: all clusterings along the principal axis, judged on the axis first
  cluster_search,  // BC1: clusterings into four and three, and a search around the four best end points
};
inline constexpr std::array kMethods = {Method::range,       Method::lspiro1, Method::lspiro2, Method::lspiro3,
                                        Method::refine_once, Method::refine,  Method::cluster, Method::cluster_search};

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

std::string_view name(Method method);
std::optional<Method> method_from_name(std::string_view name);

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
