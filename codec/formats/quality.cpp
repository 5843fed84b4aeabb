#include "texcast/quality.h"

#include <algorithm>

#include "base/misuse.h"

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

// Each option of MethodOptions: its name on the command line and its range.
struct OptionRow {
  MethodOption option;
  std::string_view name;
  bool (*is_set)(const MethodOptions&);
  int (*value)(const MethodOptions&);
  int least, most;
};
constexpr std::array kOptionRows = {
    OptionRow{MethodOption::black, "--black", [](const MethodOptions& o) { return o.allow_black; },
              [](const MethodOptions&) { return 1; }, 1, 1},
    OptionRow{MethodOption::passes, "--passes", [](const MethodOptions& o) { return o.passes.has_value(); },
              [](const MethodOptions& o) { return o.passes_or_usual(); }, 1, kMaxLspiroPasses},
    OptionRow{MethodOption::radius, "--radius", [](const MethodOptions& o) { return o.radius.has_value(); },
              [](const MethodOptions& o) { return o.radius_or_usual(); }, 1, kMaxLspiroRadius},
};

// The users of the option: "--method lspiro2 or lspiro3 of bc1", "--quality best (method cluster-search) of bc1".
std::string list_users(MethodOption option) {
  std::string qualities, methods, users;
  for (const Format& row : formats()) {
    bool is_user = false;
    for (const Method method : kMethods) {
      if (!has_method(row.id, method) || !has_option(row.id, method, option)) continue;
      is_user = true;
      const auto found = std::ranges::find(row.by_quality, method);
      if (found == row.by_quality.end()) {
        methods.append(methods.empty() ? "--method " : " or ").append(name(method));
        continue;
      }
      const Quality quality = kQualities[static_cast<size_t>(found - row.by_quality.begin())];
      qualities.append(qualities.empty() ? "--quality " : " or ").append(name(quality)).append(" (method ");
      qualities.append(name(method)).append(")");
    }
    if (is_user) users.append(users.empty() ? "" : ", ").append(row.name);
  }
  return qualities + (qualities.empty() || methods.empty() ? "" : " or ") + methods + " of " + users;
}

}  // namespace

std::string_view name(Quality quality) {
  REQUIRE_USE(static_cast<size_t>(quality) < kQualityNames.size(), "there is no such quality");
  return kQualityNames[static_cast<size_t>(quality)];
}
std::string_view name(Method method) {
  REQUIRE_USE(static_cast<size_t>(method) < kMethodNames.size(), "there is no such method");
  return kMethodNames[static_cast<size_t>(method)];
}
std::optional<Quality> quality_from_name(std::string_view wanted) {
  return from_name(kQualities, kQualityNames, wanted);
}
std::optional<Method> method_from_name(std::string_view wanted) { return from_name(kMethods, kMethodNames, wanted); }

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

Method method_for(TextureFormat format, Quality quality) {
  REQUIRE_USE(has_quality(format, quality), "the format does not have this quality (has_quality)");
  return format_row(format).by_quality[static_cast<size_t>(quality)];
}

int MethodOptions::passes_or_usual() const { return passes.value_or(kUsualPasses); }
int MethodOptions::radius_or_usual() const { return radius.value_or(kUsualRadius); }

bool has_option(TextureFormat format, Method method, MethodOption option) {
  switch (option) {
    case MethodOption::black: return contains(format_row(format).black_methods, method);
    case MethodOption::passes: return method == Method::lspiro2 || method == Method::lspiro3;
    case MethodOption::radius: return method == Method::lspiro3;
  }
  return false;
}

MethodOptions options_of(TextureFormat format, Method method, const MethodOptions& options) {
  const auto has = [&](MethodOption option) { return has_option(format, method, option); };
  return {.allow_black = options.allow_black && has(MethodOption::black),
          .passes = has(MethodOption::passes) ? options.passes : std::nullopt,
          .radius = has(MethodOption::radius) ? options.radius : std::nullopt};
}

std::optional<std::string> why_not(TextureFormat format, Quality quality, std::optional<Method> wanted,
                                   const MethodOptions& options) {
  const std::string format_name(name(format));
  if (wanted && !has_method(format, *wanted))
    return format_name + " has no method '" + std::string(name(*wanted)) + "'; it has " + list_methods(format);
  if (!wanted && !has_quality(format, quality))
    return format_name + " has no quality '" + std::string(name(quality)) + "' yet; it has " + list_qualities(format);
  const Method method = wanted ? *wanted : method_for(format, quality);
  for (const OptionRow& row : kOptionRows) {
    if (!row.is_set(options)) continue;
    if (!has_option(format, method, row.option))
      return std::string(row.name) + " does not apply to " + format_name + " by " + std::string(name(method)) +
             "; it applies to " + list_users(row.option);
    const int value = row.value(options);
    if (value < row.least || value > row.most)
      return std::string(row.name) + " " + std::to_string(value) + "; it must be " + std::to_string(row.least) +
             " to " + std::to_string(row.most);
  }
  return std::nullopt;
}

}  // namespace texcast
