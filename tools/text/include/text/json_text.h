// json_text.h — writes JSON documents. (A full JSON library takes five seconds to compile in every file that includes
// it; the tests use one to check the output of this.)
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texcast {

// A JSON value. Members of an object keep the order in which they were set.
class Json {
 public:
  Json() : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  template <std::integral Integer>
  Json(Integer value) : text_(std::to_string(value)) {}
  Json(double value);  // infinities and NaN, which JSON does not have, become null
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  Json(const std::vector<std::string>& values);
  static Json array() { return Json(Kind::array); }
  static Json object(std::initializer_list<std::pair<std::string, Json>> members = {});

  Json& operator[](std::string_view name);  // member of an object, created if missing; null becomes an object
  void push(Json value);                    // appends to an array
  // `indent` spaces per level; 0: all on one line.
  std::string text(int indent = 0) const;

 private:
  enum class Kind { plain, array, object };
  explicit Json(Kind kind) : kind_(kind) {}
  void write(std::string& out, int indent, int level) const;
  Kind kind_ = Kind::plain;
  std::string text_;                                   // plain: the JSON text
  std::vector<std::pair<std::string, Json>> members_;  // names are empty in an array
};

}  // namespace texcast
