// binary_cache.h — built programs on disk, so that the second start does not compile.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace texcast::ocl {

// `key` is everything that the binary depends on, as text; the file's name is a hash of it and the file repeats it
// whole, so that a hash that two keys share is noticed. No error is ever thrown: a cache that cannot be used costs
// time, nothing else.
// The name of the file for a key of that content_hash().
std::string binary_file(const std::string& program);
std::optional<std::vector<unsigned char>> load_cached_binary(const std::string& key);
void store_cached_binary(const std::string& key, const std::vector<unsigned char>& binary);

}  // namespace texcast::ocl
