// cache.h — small files that save time at the next start. None of these calls throws: a cache that cannot be used costs
// time, nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "texcast/device.h"

namespace texcast::ocl {

// FNV-1a, 64 bits: the same on every build, unlike std::hash.
uint64_t cache_hash(std::string_view bytes);

// Files live in $XDG_CACHE_HOME/texcast, else in ~/.cache/texcast. `name` is one path component. Nothing where the file
// is not there, cannot be read, or has more than `at_most` bytes.
std::optional<std::string> read_cache_file(const std::string& name, size_t at_most);
// Written beside and renamed, so that another process never reads half a file.
void write_cache_file(const std::string& name, std::string_view bytes);

// Platform, version, name and driver, a line each: what depends on a device and its compiler depends on these.
std::string device_key(const DeviceInfo& device);
// Of all kernel files as they would be built now.
uint64_t kernel_sources_hash();

}  // namespace texcast::ocl
