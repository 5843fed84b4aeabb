// driver_variables.h — the environment variables by which drivers are told where and whether to keep what they compile.
#pragma once

#include <optional>
#include <string>

namespace texcast::ocl {

inline constexpr const char* kPoclFolder = "POCL_CACHE_DIR";
inline constexpr const char* kPoclPlatform = "Portable Computing Language";

// The value; nothing where it is not set.
std::optional<std::string> variable(const char* name);

// How a driver is made to do without what it has kept.
struct WithoutCache {
  const char* platform;  // its name begins so
  const char* variable;  // this one is set, where the user has not set it,
  const char* value;     // to this
};
const WithoutCache* without_cache(const std::string& platform);  // null: nobody knows how

// "POCL_…=…" of all variables that may change what PoCL makes of a program, in a fixed order.
std::string pocl_settings();

}  // namespace texcast::ocl
