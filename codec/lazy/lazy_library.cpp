#include "lazy/lazy_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <span>
#include <sstream>

#include "description.h"
#include "texcast/error.h"

// The linker collects the descriptions of the generated libraries in this section, and defines symbols for its start
// and end.
extern "C" {
extern texcast::lazy::Description* const __start_texcast_lazy[] __attribute__((weak, visibility("hidden")));
extern texcast::lazy::Description* const __stop_texcast_lazy[] __attribute__((weak, visibility("hidden")));
}

namespace texcast::lazy {
namespace {

using Handles = std::vector<void*>;

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

std::vector<LibraryFile> files_of(const Description& library) {
  const std::vector<std::string> sonames = words(library.sonames), packages = words(library.packages);
  std::vector<LibraryFile> files;
  for (size_t i = 0; i < sonames.size(); ++i)
    files.push_back({.soname = sonames[i], .package = packages.at(i), .purpose = library.purpose});
  return files;
}

// The loader's error message, without the file name that it begins with.
std::string loader_reason(const std::string& soname) {
  const char* const said = dlerror();
  std::string reason = said != nullptr ? said : "no reason is known";
  if (reason.starts_with(soname + ": ")) reason.erase(0, soname.size() + 2);
  return reason;
}

// Its symbols stay local to it and its dependencies, so that those of two libraries do not interfere.
void* open(const LibraryFile& file) { return dlopen(file.soname.c_str(), RTLD_LAZY | RTLD_LOCAL); }

std::string complaint(const LibraryFile& file) {
  return fmt::format("cannot load {}, which is needed for {}: {}", file.soname, file.purpose,
                     loader_reason(file.soname));
}

[[noreturn]] void fail_to_load(const LibraryFile& file) {
  throw Error(ErrorKind::failed,
              fmt::format("{}; install it, in Debian the package {}", complaint(file), file.package));
}

void* find(const Handles& handles, const char* name) {
  for (void* const handle : handles)
    if (void* const found = dlsym(handle, name)) return found;
  return nullptr;
}

[[noreturn]] void fail_for(const Description& library, const char* name) {
  throw Error(ErrorKind::failed,
              fmt::format("{} has no {}: this version is older than the one that texcast was built with",
                          library.sonames, name));
}

// Libraries are never closed, as the stubs hold addresses in them.
Handles load(const Description& library) {
  Handles handles;
  for (const LibraryFile& file : files_of(library)) {
    handles.push_back(open(file));
    if (handles.back() == nullptr) fail_to_load(file);
  }
  for (const Object& object : std::span(library.objects, library.objects_end)) {
    const void* const original = find(handles, object.name);
    if (original == nullptr) fail_for(library, object.name);
    std::memcpy(object.copy, original, object.bytes);
  }
  return handles;
}

const Handles& loaded(Description& library) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (library.loaded == nullptr) library.loaded = new Handles(load(library));
  return *static_cast<const Handles*>(library.loaded);
}

}  // namespace

std::vector<LibraryFile> library_files() {
  std::vector<LibraryFile> all;
  for (const Description* library : std::span(__start_texcast_lazy, __stop_texcast_lazy))
    for (LibraryFile& file : files_of(*library)) all.push_back(std::move(file));
  return all;
}

std::string load_complaint(const LibraryFile& file) { return open(file) != nullptr ? "" : complaint(file); }

}  // namespace texcast::lazy

// Called by functions.S at a function's first call, whose arguments it has saved. Several threads may be here at once
// with the same function.
extern "C" __attribute__((visibility("hidden"))) void* texcast_lazy_function(texcast::lazy::Description* library,
                                                                             texcast::lazy::Function* function) {
  using namespace texcast::lazy;
  void* const target = find(loaded(*library), function->name);
  if (target == nullptr) fail_for(*library, function->name);
  std::atomic_ref(function->target).store(target, std::memory_order_release);
  return target;
}
