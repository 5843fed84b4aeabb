// method.h — how the end points of a block are found.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "texcast/export.h"

namespace texcast {

// docs/measuring.md tells the time and the quality of each.
enum class Method : uint8_t {
  range,           // BC1: bounding box along the colours' diagonal; BC4: smallest and largest value
  lspiro1,         // BC1: LSpiro step 1, a regression line through each channel's distinct values
  lspiro2,         // BC1: also its step 2, regression of the residual, in a few passes
  lspiro3,         // BC1: also its step 3, the best end points of the neighbourhood
  refine_once,     // BC1: range and one least-squares fit
  refine,          // BC1: range and two fits, of which the best is taken; BC4: range and one fit
  cluster,         // BC1: all clusterings along the principal axis, first judged on the axis; BC4: fits from 8 starts
  cluster_search,  // BC1: clusterings into four and three, and a search around the four best end points
};
inline constexpr std::array kMethods = {Method::range,       Method::lspiro1, Method::lspiro2, Method::lspiro3,
                                        Method::refine_once, Method::refine,  Method::cluster, Method::cluster_search};

TEXCAST_API std::string_view name(Method method);  // misuse for an unknown number
TEXCAST_API std::optional<Method> method_from_name(std::string_view name);

}  // namespace texcast
