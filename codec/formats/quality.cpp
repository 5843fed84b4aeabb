#include "texcast/quality.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast {
namespace {

constexpr std::array<std::string_view, kQualities.size()> kQualityNames = {"fast", "normal", "high", "best"};
constexpr std::array<std::string_view, kMethods.size()> kMethodNames = {
    "range", "lspiro1", "lspiro2", "lspiro3", "refine-once", "refine", "cluster", "cluster-search"};

template <typename Values, typename Has>
std::string list(const Values& values, Has has) {
  std::string text;
  for (const auto value : values)
    if (has(value)) text.append(text.empty() ? "" : ", ").append(name(value));
  return text;
}

bool contains(std::span<const Method> methods, Method method) {
  return std::ranges::find(methods, method) != methods.end();
}

template <typename Values, typename Names>
auto from_name(const Values& values, const Names& names, std::string_view wanted)
    -> std::optional<typename Values::value_type> {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end()) return std::nullopt;
  return values[static_cast<size_t>(found - names.begin())];
}

}  // namespace

std::string_view name(Quality quality) { return kQualityNames[static_cast<size_t>(quality)]; }
std::string_view name(Method method) { return kMethodNames[static_cast<size_t>(method)]; }
std::optional<Quality> quality_from_name(std::string_view wanted) {
  return from_name(kQualities, kQualityNames, wanted);
}
std::optional<Method> method_from_name(std::string_view wanted) { return from_name(kMethods, kMethodNames, wanted); }

bool has_passes(Method method) { return method == Method::lspiro2 || method == Method::lspiro3; }
bool has_radius(Method method) { return method == Method::lspiro3; }
bool in_range(const LspiroSettings& s) {
  return s.passes >= 1 && s.passes <= kMaxLspiroPasses && s.radius >= 1 && s.radius <= kMaxLspiroRadius;
}

bool has_quality(TextureFormat format, Quality quality) {
  return static_cast<size_t>(quality) < format_row(format).by_quality.size();
}

std::string list_qualities(TextureFormat format) {
  return list(kQualities, [&](Quality q) { return has_quality(format, q); });
}

bool has_method(TextureFormat format, Method method) {
  const Format& row = format_row(format);
  return contains(row.by_quality, method) || contains(row.more_methods, method);
}

std::string list_methods(TextureFormat format) {
  return list(kMethods, [&](Method m) { return has_method(format, m); });
}

bool can_use_black(TextureFormat format, Method method) { return contains(format_row(format).black_methods, method); }

std::string list_black_methods() {
  return list(kMethods, [](Method method) {
    return std::ranges::any_of(formats(), [&](const Format& row) { return can_use_black(row.id, method); });
  });
}

Method method_for(TextureFormat format, Quality quality) {
  ENSURE(has_quality(format, quality));
  return format_row(format).by_quality[static_cast<size_t>(quality)];
}

}  // namespace texcast
