#include "media/recorded_part.h"

#include <fmt/core.h>

#include <charconv>

namespace texcast::media {
namespace {

// Takes pieces from the front of a text.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}
  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  template <typename Number>
  bool number(Number& into) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string part_text(const RecordedPart& part) {
  return fmt::format("{}/{} from {}{}", part.number, part.count, part.begin.count(),
                     part.end ? fmt::format(" to {}", part.end->count()) : "");
}

std::optional<RecordedPart> part_of_text(std::string_view text) {
  Pieces pieces(text);
  RecordedPart part;
  int64_t begin = 0, end = 0;
  if (!pieces.number(part.number) || !pieces.word("/") || !pieces.number(part.count) || !pieces.word(" from ") ||
      !pieces.number(begin))
    return std::nullopt;
  part.begin = nanoseconds(begin);
  if (!pieces.at_end()) {
    if (!pieces.word(" to ") || !pieces.number(end) || !pieces.at_end() || end <= begin) return std::nullopt;
    part.end = nanoseconds(end);
  }
  if (part.number < 1 || part.number > part.count || part.count > kMostParts || begin < 0) return std::nullopt;
  return part;
}

}  // namespace texcast::media
