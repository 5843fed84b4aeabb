// binary_cache.h — caches built programs on disk, so that the second start does not compile.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace texcast::ocl {

// `key` is everything that the binary depends on, as text. The file's name is a hash of it, and the file repeats it in
// full, so that a hash collision is noticed. No call throws: a cache that cannot be used only costs time.
//
// binary_file() returns the name of the file for a key with that content_hash().
std::string binary_file(const std::string& program);
std::optional<std::vector<unsigned char>> load_cached_binary(const std::string& key);
void store_cached_binary(const std::string& key, const std::vector<unsigned char>& binary);

}  // namespace texcast::ocl
