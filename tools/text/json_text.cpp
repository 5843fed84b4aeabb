#include "text/json_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/ensure.h"
#include "base/utf8.h"

namespace texcast {
namespace {

// Escapes as JSON does, in UTF-16: two surrogates above U+FFFF.
std::string escaped(char32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
  const uint32_t rest = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 | rest >> 10, 0xDC00 | (rest & 0x3FF));
}

// JSON is UTF-8, but file names may be any bytes: invalid ones become U+FFFD. Control characters of terminals are
// escaped, because names come from the network too.
std::string as_json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character c = first_character(text);
    if (c.bytes == 0) {
      out += "\uFFFD";
    } else if (steers_text(c.code)) {
      out += escaped(c.code);
    } else {
      if (c.code == U'"' || c.code == U'\\') out += '\\';
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(std::max<size_t>(c.bytes, 1));
  }
  return out + '"';
}

}  // namespace

Json::Json(double value) : text_(std::isfinite(value) ? fmt::format("{:.10g}", value) : "null") {}
Json::Json(std::string_view value) : text_(as_json_string(value)) {}
Json::Json(const std::vector<std::string>& values) : kind_(Kind::array) {
  for (const std::string& value : values) push(value);
}

Json Json::object(std::initializer_list<std::pair<std::string, Json>> members) {
  Json made(Kind::object);
  made.members_.assign(members);
  return made;
}

Json& Json::operator[](std::string_view name) {
  if (kind_ == Kind::plain && text_ == "null") kind_ = Kind::object;
  ENSURE(kind_ == Kind::object);
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m.first == name; });
  return found != members_.end() ? found->second : members_.emplace_back(name, Json()).second;
}

void Json::push(Json value) {
  ENSURE(kind_ == Kind::array);
  members_.emplace_back("", std::move(value));
}

std::string Json::text(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

void Json::write(std::string& out, int indent, int level) const {
  if (kind_ == Kind::plain) {
    out += text_;
    return;
  }
  const auto new_line = [&](int depth) {
    if (indent > 0) out.append(1, '\n').append(static_cast<size_t>(indent * depth), ' ');
  };
  const bool object = kind_ == Kind::object;
  out += object ? '{' : '[';
  for (size_t i = 0; i < members_.size(); ++i) {
    if (i > 0) out += indent > 0 ? "," : ", ";
    new_line(level + 1);
    if (object) out += as_json_string(members_[i].first) + ": ";
    members_[i].second.write(out, indent, level + 1);
  }
  if (!members_.empty()) new_line(level);
  out += object ? '}' : ']';
}

}  // namespace texcast
