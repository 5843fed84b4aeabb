// The two implementations of GF(2^8): the tables for targets without ISA-L give ISA-L's bytes.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#define galois galois_tables
#include "../../transport/fec/galois_tables.cpp"
#undef galois

namespace texcast::transport::galois {
uint8_t inverse(uint8_t value);
void make_tables(int sources, int rows, const uint8_t* factors, uint8_t* tables);
void multiply(int bytes, int sources, int rows, const uint8_t* tables, const std::byte* const* from,
              std::byte* const* results);
void add(int bytes, int sources, int rows, int source, const uint8_t* tables, const std::byte* from,
         std::byte* const* results);
}  // namespace texcast::transport::galois

namespace isal = texcast::transport::galois;
namespace portable = texcast::transport::galois_tables;

TEST_CASE("inverses by tables are ISA-L's") {
  for (int value = 1; value < 256; ++value)
    CHECK(portable::inverse(static_cast<uint8_t>(value)) == isal::inverse(static_cast<uint8_t>(value)));
}

TEST_CASE("sums of products by tables are ISA-L's, of any length") {
  constexpr int kSources = 7, kRows = 3;
  std::mt19937 random(3);
  for (const int bytes : {1, 15, 16, 17, 100, 1424}) {
    std::vector<uint8_t> factors(kSources * kRows);
    for (auto& factor : factors) factor = static_cast<uint8_t>(random());
    std::vector<std::vector<std::byte>> sources(kSources, std::vector<std::byte>(static_cast<size_t>(bytes)));
    std::vector<const std::byte*> from;
    for (auto& source : sources) {
      for (auto& byte : source) byte = static_cast<std::byte>(random());
      from.push_back(source.data());
    }
    std::vector<std::vector<std::byte>> own(kRows, std::vector<std::byte>(static_cast<size_t>(bytes))), theirs = own;
    std::vector<std::byte*> own_rows, their_rows;
    for (int r = 0; r < kRows; ++r) {
      own_rows.push_back(own[static_cast<size_t>(r)].data());
      their_rows.push_back(theirs[static_cast<size_t>(r)].data());
    }
    std::vector<uint8_t> own_tables(factors.size() * portable::kTableBytes), their_tables(own_tables.size());
    portable::make_tables(kSources, kRows, factors.data(), own_tables.data());
    isal::make_tables(kSources, kRows, factors.data(), their_tables.data());
    portable::multiply(bytes, kSources, kRows, own_tables.data(), from.data(), own_rows.data());
    isal::multiply(bytes, kSources, kRows, their_tables.data(), from.data(), their_rows.data());
    CHECK(own == theirs);
    portable::add(bytes, kSources, kRows, 4, own_tables.data(), from[1], own_rows.data());
    isal::add(bytes, kSources, kRows, 4, their_tables.data(), from[1], their_rows.data());
    CHECK(own == theirs);
  }
}
