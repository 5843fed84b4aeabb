// if_exists.h — what becomes of a file that has the name of one to be written: the one rule for every output.
#pragma once

#include <string>

#include "texcast/error.h"
#include "texcast/export.h"

namespace texcast {

enum class IfExists {
  refuse,     // nothing is written: NameTaken
  overwrite,  // it is replaced
  number,     // it is left alone: the new file gets the next free name, show-2.mov, show-3.mov …
};

// The name belongs to another file, which is not to be touched.
class TEXCAST_API NameTaken : public Error {
 public:
  explicit NameTaken(const std::string& message) : Error(ErrorKind::failed, message) {}
};

}  // namespace texcast
