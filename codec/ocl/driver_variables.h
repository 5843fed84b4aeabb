// driver_variables.h — the environment variables that tell drivers whether and where to cache what they compile.
#pragma once

#include <optional>
#include <string>

namespace texcast::ocl {

inline constexpr const char* kPoclFolder = "POCL_CACHE_DIR";
inline constexpr const char* kPoclPlatform = "Portable Computing Language";

// The value, or nothing if it is not set.
std::optional<std::string> variable(const char* name);

// How a driver is kept from using its cache.
struct WithoutCache {
  const char* platform;  // prefix of its name
  const char* variable;  // this variable is set, unless the user has set it,
  const char* value;     // to this value
};
const WithoutCache* without_cache(const std::string& platform);  // null: not known

// "POCL_…=…" for all variables that may change how PoCL compiles a program, in a fixed order.
std::string pocl_settings();

}  // namespace texcast::ocl
