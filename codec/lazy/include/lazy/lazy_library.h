// lazy_library.h — C libraries that the program loads when one of their functions is first called.
//
// If the library is missing, that call throws Error{failed}, which names the package to install. It throws through the
// caller's frames as any C++ function does, so the first call must not stand in a noexcept function or a C callback.
// Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace texcast::lazy {

struct LibraryFile {
  std::string soname;   // "libpipewire-0.3.so.0"
  std::string package;  // the package of Debian: "libpipewire-0.3-0"
  std::string purpose;  // what needs it: "capturing Wayland desktops"
};

// All libraries that are linked into this program in this way, in no order. Empty if the build links them as usual.
std::vector<LibraryFile> library_files();

// Loads the library, which stays loaded. Returns "cannot load …" with the reason if that fails, else an empty string.
std::string load_complaint(const LibraryFile& file);

}  // namespace texcast::lazy
