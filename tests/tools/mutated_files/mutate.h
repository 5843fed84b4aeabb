// mutate.h — files that were damaged on purpose, each told by a number. Pure.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace texcast::test {

using Random = std::mt19937_64;

// One to four changes: flipped bits, cuts, repeats, regions moved or overwritten, length fields at their extremes, the
// end of `other` (a whole file of the same kind) in the place of its own. Never gives back what it got.
std::string mutated(const std::string& whole, const std::string& other, Random& random);

// The frames of a pcap file as a pcapng (a section, an interface, a packet block each), which texcast reads and does
// not write.
std::string as_pcapng(const std::string& pcap);

}  // namespace texcast::test
