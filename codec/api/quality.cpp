#include "texcast/quality.h"

namespace texcast {
namespace {
constexpr std::array<std::string_view, 4> kNames = {"fast", "normal", "high", "best"};
}

std::string_view name(Quality quality) { return kNames[static_cast<size_t>(quality)]; }

std::optional<Quality> quality_from_name(std::string_view wanted) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == wanted) return static_cast<Quality>(i);
  return std::nullopt;
}

bool has_quality(TextureFormat /*format*/, Quality quality) {
  return quality == Quality::fast || quality == Quality::normal;
}

std::string list_qualities(TextureFormat format) {
  std::string list;
  for (size_t i = 0; i < kNames.size(); ++i)
    if (has_quality(format, static_cast<Quality>(i))) list += (list.empty() ? "" : ", ") + std::string(kNames[i]);
  return list;
}

}  // namespace texcast
