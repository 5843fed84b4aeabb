// if_exists.h — the policy for an output file whose name is taken; every output obeys it.
#pragma once

#include <string>

#include "texcast/error.h"
#include "texcast/export.h"

namespace texcast {

enum class IfExists {
  refuse,     // throws NameTaken, and writes nothing
  overwrite,  // replaces the existing file
  number,     // keeps the existing file and writes under the next free name: show-2.mov, show-3.mov …
};

// Another file has the name, and must not be touched.
class TEXCAST_API NameTaken : public Error {
 public:
  explicit NameTaken(const std::string& message) : Error(ErrorKind::failed, message) {}
};

}  // namespace texcast
