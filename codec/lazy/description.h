// description.h — what a generated library (functions.S) says of itself.
#pragma once

#include <cstddef>

namespace texcast::lazy {

// A function: `target` is where calls jump to, which is a first-call stub until the function has been looked up.
struct Function {
  void* target;
  const char* name;
};

// An object that the library exports, of which this program has a copy. It is valid from the library's first call on.
struct Object {
  void* copy;
  const char* name;
  size_t bytes;
};

// Several files that are loaded together, with a blank between their names.
struct Description {
  const char* sonames;
  const char* packages;  // in the order of sonames
  const char* purpose;
  const Object* objects;
  const Object* objects_end;
  void* loaded;  // Handles, once they are loaded
};

}  // namespace texcast::lazy
