#include "transport/fec_spec.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace texcast::transport {
namespace {

constexpr std::string_view kForms = "none, auto, N%, ultragrid-rs:K:N, ultragrid-ldgm:K:M:C or mult:N";

// Parses the numbers after "name:", exactly as many as `numbers` has.
bool read_numbers(std::string_view text, std::span<int> numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, numbers[i]);
    const bool last = i + 1 == numbers.size();
    if (error != std::errc() || (last ? stop != end : stop == end || *stop != ':')) return false;
    text.remove_prefix(static_cast<size_t>(stop - text.data()) + (last ? 0 : 1));
  }
  return true;
}

// The text after "name:".
std::optional<std::string_view> after(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  return text.substr(name.size());
}

}  // namespace

Result<FecChoice> parse_fec(std::string_view text) {
  if (text == "none") return FecChoice{};
  if (text == "auto") return FecChoice{.kind = FecKind::automatic};
  if (text.ends_with('%')) {
    std::array<int, 1> n{};
    if (!read_numbers(text.substr(0, text.size() - 1), n) || n[0] < 1 || n[0] > 100)
      return Failure{fmt::format("'{}' is not a percentage of parity; give 1% to 100% of the data", text)};
    return FecChoice{.kind = FecKind::parity, .percent = n[0]};
  }
  if (const auto numbers = after(text, "ultragrid-rs:")) {
    std::array<int, 2> n{};
    if (!read_numbers(*numbers, n) || n[0] < 1 || n[1] <= n[0] || n[1] > 255)
      return Failure{fmt::format(
          "'{}' is not a Reed-Solomon code; give ultragrid-rs:K:N, 1 <= K < N <= 255, such as ultragrid-rs:200:240",
          text)};
    return FecChoice{.kind = FecKind::ultragrid_rs, .k = n[0], .m = n[1] - n[0]};
  }
  if (const auto numbers = after(text, "ultragrid-ldgm:")) {
    std::array<int, 3> n{};
    const auto symbols = [](int count) { return count >= 64 && count <= 8191; };
    if (!read_numbers(*numbers, n) || !symbols(n[0]) || !symbols(n[1]) || n[2] < 2 || n[2] > 63)
      return Failure{
          fmt::format("'{}' is not an LDGM code; give ultragrid-ldgm:K:M:C, K and M 64 to 8191, C 2 to 63, such as "
                      "ultragrid-ldgm:512:384:5",
                      text)};
    return FecChoice{.kind = FecKind::ultragrid_ldgm, .k = n[0], .m = n[1], .c = n[2]};
  }
  if (const auto numbers = after(text, "mult:")) {
    std::array<int, 1> n{};
    if (!read_numbers(*numbers, n) || n[0] < 2 || n[0] > 10)
      return Failure{fmt::format("'{}' is not a number of copies; give mult:N, N 2 to 10", text)};
    return FecChoice{.copies = n[0]};
  }
  return Failure{fmt::format("'{}' is not a protection against loss; give {}", text, kForms)};
}

std::string to_string(const FecChoice& c) {
  switch (c.kind) {
    case FecKind::none: return c.copies > 1 ? fmt::format("mult:{}", c.copies) : "none";
    case FecKind::automatic: return "auto";
    case FecKind::parity: return fmt::format("{}%", c.percent);
    case FecKind::ultragrid_rs: return fmt::format("ultragrid-rs:{}:{}", c.k, c.k + c.m);
    case FecKind::ultragrid_ldgm: return fmt::format("ultragrid-ldgm:{}:{}:{}", c.k, c.m, c.c);
  }
  return {};
}

bool is_ultragrid(const FecChoice& choice) {
  return choice.kind == FecKind::ultragrid_rs || choice.kind == FecKind::ultragrid_ldgm || choice.copies > 1;
}

}  // namespace texcast::transport
