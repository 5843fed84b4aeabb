// cache.h — small files that save time at the next start. No call throws: a cache that cannot be used only costs time.
//
// Compiled kernels are machine code that drivers execute. Therefore the cache is a folder of this user to which nobody
// else can write, and a file is used only if it is byte for byte what was written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "texcast/device.h"

namespace texcast::ocl {

// BLAKE2b with 256 bits, as 64 hexadecimal digits.
std::string content_hash(std::string_view bytes);
bool is_content_hash(std::string_view text);

// The folder of the cache, as texcast::cache_folder() returns it, and why it is not the usual one.
struct CacheChoice {
  std::string path{};  // empty: there is none
  bool usual = false;  // $XDG_CACHE_HOME/texcast or ~/.cache/texcast
  // Why the usual folder is not used, as a clause for a person, and how to fix it.
  std::string why{}, mend{};
  bool is_news = false;  // the reason is more than a home that is not writable, and should be reported
};
// Creates the folder with mode 0700. Checks again on each call.
CacheChoice choose_cache();

// Reads a file of that folder. `name` is one path component. Nothing if the file does not exist, belongs to another
// user, can be written by others, cannot be read, or has more than `at_most` bytes.
std::optional<std::string> read_cache_file(const std::string& name, size_t at_most);
// Writes a temporary file and renames it, so that another process never reads half a file. Mode 0600, whatever the
// umask.
void write_cache_file(const std::string& name, std::string_view bytes);
void remove_cache_file(const std::string& name);

// Call it before the first OpenCL call. Gives drivers a cache folder of texcast's own if the environment names none. If
// an earlier start died in a driver, removes the programs that may have caused it, and logs that. Only the first call
// does anything. It changes the environment, which no other thread may read at that time.
void give_drivers_a_cache();
// Call it before the process ends by itself while a driver may be building: what is built already is kept, and the next
// start does not take this for a crash. Not in a signal handler.
void leave_caches();
// The cache problem for which a driver may have no device, as a clause; empty if there is none.
std::string driver_cache_complaint();

// The state of PoCL's cache. Damaged programs are removed, as before a build.
struct DriverCacheState {
  std::string folder{};  // empty: there is none that texcast guards
  int programs = 0;      // undamaged ones
  int removed = 0;       // damaged ones
  std::string danger{};  // that others can write there, as a clause
};
DriverCacheState examine_driver_cache();

// Some drivers cache on disk what they compiled, and return binaries only by compiling the whole program again, while
// their device waits (PoCL 3.1). Their programs are left in their own cache, in a folder that is guarded
// (driver_cache.h).
bool keeps_programs(const DeviceInfo& device);

// Platform, version, name and driver, one line each: what identifies a device and its compiler.
std::string device_key(const DeviceInfo& device);
// content_hash() of all kernel files as they would be built now.
std::string kernel_sources_hash();

}  // namespace texcast::ocl
