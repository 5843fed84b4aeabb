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
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool is_identity(std::string_view text) {
  constexpr size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string part_text(const RecordedPart& part) {
  return fmt::format("{}/{} from {}{}{}{}", part.number, part.count, part.begin.count(),
                     part.end ? fmt::format(" to {}", part.end->count()) : "", part.identity.empty() ? "" : " of ",
                     part.identity);
}

std::optional<RecordedPart> part_of_text(std::string_view text) {
  Pieces pieces(text);
  RecordedPart part;
  int64_t begin = 0, end = 0;
  if (!pieces.number(part.number) || !pieces.word("/") || !pieces.number(part.count) || !pieces.word(" from ") ||
      !pieces.number(begin))
    return std::nullopt;
  part.begin = nanoseconds(begin);
  if (pieces.word(" to ")) {
    if (!pieces.number(end) || end <= begin) return std::nullopt;
    part.end = nanoseconds(end);
  }
  if (pieces.word(" of ")) {
    if (!is_identity(pieces.rest())) return std::nullopt;
    part.identity = pieces.rest();
  } else if (!pieces.at_end()) {
    return std::nullopt;
  }
  if (part.number < 1 || part.number > part.count || part.count > kMostParts || begin < 0) return std::nullopt;
  return part;
}

}  // namespace texcast::media
