#include "binary_cache.h"

#include <fmt/core.h>

#include "ocl/cache.h"

namespace texcast::ocl {
namespace {

constexpr size_t kLargestFile = 256 << 20;  // the binary of a program has a few megabytes
constexpr size_t kNameDigits = 32;

std::string_view text_of(const std::vector<unsigned char>& binary) {
  return {reinterpret_cast<const char*>(binary.data()), binary.size()};
}

// A file is the key, then the hash of the binary, then the binary. Drivers crash on a truncated binary (PoCL 3.1 does),
// so they never get one.
std::string heading(const std::string& key, std::string_view binary) {
  return key + fmt::format("\n{}\n", content_hash(binary));
}

}  // namespace

std::string binary_file(const std::string& program) { return program.substr(0, kNameDigits) + ".clbin"; }

std::optional<std::vector<unsigned char>> load_cached_binary(const std::string& key) {
  const auto all = read_cache_file(binary_file(content_hash(key)), kLargestFile);
  const size_t heading_bytes = heading(key, {}).size();
  if (!all || all->size() <= heading_bytes) return std::nullopt;
  const std::string_view binary = std::string_view(*all).substr(heading_bytes);
  if (all->compare(0, heading_bytes, heading(key, binary)) != 0) return std::nullopt;
  return std::vector<unsigned char>(binary.begin(), binary.end());
}

void store_cached_binary(const std::string& key, const std::vector<unsigned char>& binary) {
  if (binary.empty()) return;
  write_cache_file(binary_file(content_hash(key)), heading(key, text_of(binary)).append(text_of(binary)));
}

}  // namespace texcast::ocl
