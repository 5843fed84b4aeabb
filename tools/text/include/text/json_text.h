// json_text.h — JSON documents written, never read. (A full JSON library costs five seconds of compiling in every file
// that sees it; the tests use one to check what this writes.)
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texcast {

// A value: null, a plain one, or an object or array of others. Members keep the order in which they were set.
class Json {
 public:
  Json() : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  template <std::integral Integer>
  Json(Integer value) : text_(std::to_string(value)) {}
  Json(double value);  // null for infinities and NaN, which JSON does not have
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  Json(const std::vector<std::string>& values);
  static Json array() { return Json(Kind::array); }
  static Json object(std::initializer_list<std::pair<std::string, Json>> members = {});

  Json& operator[](std::string_view name);  // of an object, made where it is not there yet; null becomes an object
  void push(Json value);                    // on an array
  // `indent` spaces a level; 0: all on one line.
  std::string text(int indent = 0) const;

 private:
  enum class Kind { plain, array, object };
  explicit Json(Kind kind) : kind_(kind) {}
  void write(std::string& out, int indent, int level) const;
  Kind kind_ = Kind::plain;
  std::string text_;                                   // plain: as it is written
  std::vector<std::pair<std::string, Json>> members_;  // names are empty in an array
};

}  // namespace texcast
