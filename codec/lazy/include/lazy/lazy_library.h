// lazy_library.h — the C libraries that this program loads when it first calls one of their functions, and not before.
//
// The call that finds a library missing throws Error{failed}, which names the package to install. It throws through the
// caller's frames as any C++ function does, so a first call must not stand in a noexcept function or a C callback.
// Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace texcast::lazy {

struct LibraryFile {
  std::string soname;   // "libpipewire-0.3.so.0"
  std::string package;  // Debian's, which has it: "libpipewire-0.3-0"
  std::string purpose;  // what needs it: "capturing Wayland desktops"
};

// All that are linked into this program in this way, in no order. Empty where the build links them as usual.
std::vector<LibraryFile> library_files();

// Loads the library, which stays loaded. Returns "cannot load …" with the reason where that fails, else nothing.
std::string load_complaint(const LibraryFile& file);

}  // namespace texcast::lazy
