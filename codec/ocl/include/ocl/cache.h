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

// Files live in texcast::cache_folder(). `name` is one path component. Nothing where the file
// is not there, cannot be read, or has more than `at_most` bytes.
std::optional<std::string> read_cache_file(const std::string& name, size_t at_most);
// Written beside and renamed, so that another process never reads half a file.
void write_cache_file(const std::string& name, std::string_view bytes);

// Before the first OpenCL call: sets POCL_CACHE_DIR where it is not set and PoCL's usual folder cannot be written. Does
// so once; it changes the environment, which no other thread may be reading then.
void give_drivers_a_cache();
// Why a driver may have no device for want of a cache, as one clause; empty: that is not why.
std::string driver_cache_complaint();

// Some drivers keep on disk what they compiled, and give binaries only by compiling all of a program again, while their
// device waits (PoCL 3.1). Of their programs a note is kept beside what they keep, so that it goes when that goes.
bool keeps_programs(const DeviceInfo& device);
bool has_program_note(const std::string& key);
void write_program_note(const std::string& key);

// Platform, version, name and driver, a line each: what depends on a device and its compiler depends on these.
std::string device_key(const DeviceInfo& device);
// Of all kernel files as they would be built now.
uint64_t kernel_sources_hash();

}  // namespace texcast::ocl
