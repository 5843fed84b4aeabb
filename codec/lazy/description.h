// description.h — the description that a generated library (functions.S) holds of itself.
#pragma once

#include <cstddef>

namespace texcast::lazy {

// A function: calls jump to `target`, which is a first-call stub until the function has been looked up.
struct Function {
  void* target;
  const char* name;
};

// An object that the library exports and of which this program has a copy. The copy is valid from the library's first
// call on.
struct Object {
  void* copy;
  const char* name;
  size_t bytes;
};

// Several files that are loaded together; their names are separated by blanks.
struct Description {
  const char* sonames;
  const char* packages;  // in the order of sonames
  const char* purpose;
  const Object* objects;
  const Object* objects_end;
  void* loaded;  // Handles, after they were loaded
};

}  // namespace texcast::lazy
