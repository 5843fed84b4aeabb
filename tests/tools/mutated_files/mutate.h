// mutate.h — damages files on purpose, reproducibly by a number.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace texcast::test {

using Random = std::mt19937_64;

// Makes one to four changes: flipped bits, cuts, repeats, regions moved or overwritten, extreme values of length
// fields, the end of `other` (an intact file of the same kind) in place of its own. The result always differs from the
// input.
std::string mutated(const std::string& whole, const std::string& other, Random& random);

// Converts a pcap file to pcapng (a section, an interface, a block for each packet), which texcast reads but does not
// write.
std::string as_pcapng(const std::string& pcap);

}  // namespace texcast::test
