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
  refine_once,     // BC1: range and one least-squares fit
  refine,          // BC1: range and two fits, the best of them; BC4: range and one fit
  cluster,         // BC1: all clusterings along the principal axis, judged on the axis first
  cluster_search,  // BC1: all clusterings into four and three, judged in colour, and a search around the best
};
inline constexpr std::array kMethods = {Method::range,  Method::lspiro1, Method::refine_once,
                                        Method::refine, Method::cluster, Method::cluster_search};

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
