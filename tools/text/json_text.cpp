#include "text/json_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/ensure.h"

namespace texcast {
namespace {

// Bytes at the beginning of `text` that are one character of UTF-8 (RFC 3629: none that is overlong, a surrogate or
// above U+10FFFF); 0 where they are none.
size_t utf8_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t bytes = lead >= 0xC2 && lead < 0xE0   ? 2
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xF0 && lead < 0xF5 ? 4
                                                     : 0;
  for (size_t i = 1; i < bytes; ++i)
    if (byte(i) >> 6 != 2) return 0;
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) >= 0xA0)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) >= 0x90)) return 0;
  return bytes;
}

// JSON is UTF-8, and names of files are any bytes: those that are no character become U+FFFD.
std::string as_json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t bytes = utf8_bytes(text);
    const char c = text.front();
    if (bytes == 0) {
      out += "\uFFFD";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<size_t>(bytes, 1));
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
