// cache.h — small files that save time at the next start. None of these calls throws: a cache that cannot be used costs
// time, nothing else.
//
// Compiled kernels are machine code that drivers run. The cache is therefore a folder of this user to which nobody else
// can write, and a file is used only if it is byte for byte what was written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "texcast/device.h"

namespace texcast::ocl {

// BLAKE2b with 256 bits, in 64 hexadecimal digits.
std::string content_hash(std::string_view bytes);
bool is_content_hash(std::string_view text);

// The folder of the cache, as texcast::cache_folder() has it, and why it is not the usual one.
struct CacheChoice {
  std::string path{};  // empty: there is none
  bool usual = false;  // $XDG_CACHE_HOME/texcast or ~/.cache/texcast
  // Why the usual folder is not used, as a clause for a person, and what to do about it.
  std::string why{}, mend{};
  bool is_news = false;  // it is not just a home that cannot be written to: whoever starts should be told
};
// Makes the folder, with mode 0700. Looks anew each time.
CacheChoice choose_cache();

// Files live in that folder. `name` is one path component. Nothing where the file is not there, is another user's or
// one that others can write to, cannot be read, or has more than `at_most` bytes.
std::optional<std::string> read_cache_file(const std::string& name, size_t at_most);
// Written beside and renamed, so that another process never reads half a file. Mode 0600, whatever the umask.
void write_cache_file(const std::string& name, std::string_view bytes);
void remove_cache_file(const std::string& name);

// Before the first OpenCL call: gives drivers a folder of texcast's own for what they keep, where the environment names
// none; and where an earlier start ended in a driver, removes what that may have ended by, and says so. Does so once;
// it changes the environment, which no other thread may be reading then.
void give_drivers_a_cache();
// Why a driver may have no device for want of a cache, as one clause; empty: that is not why.
std::string driver_cache_complaint();

// The state of PoCL's cache. Damaged programs are removed, as before a build.
struct DriverCacheState {
  std::string folder{};  // empty: there is none that texcast looks after
  int programs = 0;      // that are what PoCL wrote
  int removed = 0;       // damaged ones
  std::string danger{};  // others can write there, as a clause
};
DriverCacheState examine_driver_cache();

// Some drivers keep on disk what they compiled, and give binaries only by compiling all of a program again, while their
// device waits (PoCL 3.1). Their programs are left to them, in a folder that is looked after (driver_cache.h).
bool keeps_programs(const DeviceInfo& device);

// Platform, version, name and driver, a line each: what depends on a device and its compiler depends on these.
std::string device_key(const DeviceInfo& device);
// content_hash() of all kernel files as they would be built now.
std::string kernel_sources_hash();

}  // namespace texcast::ocl
