// A struct that has grown since its first version, between programs and libraries of both ages.
#include "boundary.h"

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>

namespace {

struct Grown {
  size_t struct_size;
  int64_t first;
  int64_t later;  // appended
};

struct Place {  // of the caller, who knows the first version
  size_t struct_size;
  int64_t first;
  int64_t neighbour;  // what lies behind it in memory
};

}  // namespace

template <>
inline constexpr size_t texcast::c::kFirstSize<Grown> = 16;

using namespace texcast;
using namespace texcast::c;

TEST_CASE("a struct of an older program lacks the later members, which are zero") {
  const Place old{.struct_size = 16, .first = 7, .neighbour = -1};
  const Grown own = input(reinterpret_cast<const Grown*>(&old), "grown");
  CHECK(own.first == 7);
  CHECK(own.later == 0);
}

TEST_CASE("a result is written no further than the older program knows the struct") {
  Place old{.struct_size = 16, .first = 0, .neighbour = -1};
  Output(reinterpret_cast<Grown*>(&old), "grown").set({.struct_size = sizeof(Grown), .first = 7, .later = 8});
  CHECK(old.first == 7);
  CHECK(old.neighbour == -1);
  CHECK(old.struct_size == 16);
}

TEST_CASE("a size between two versions is taken as it is") {
  const Grown half{.struct_size = 20, .first = 7, .later = int64_t{5} << 32 | 3};
  CHECK(input(&half, "grown").later == 3);  // little-endian: the half that is there
  const Grown less{.struct_size = 15, .first = 7, .later = 0};
  CHECK_THROWS_AS(input(&less, "grown"), Error);
}

TEST_CASE("defaults are zero, and an unknown enumerator is misuse") {
  CHECK(optional_input<Grown>(nullptr, "grown").first == 0);
  CHECK_THROWS_AS(input<Grown>(nullptr, "grown"), Error);
  CHECK(enumerator<int>(TEXCAST_INPUT, 6, "status") == 5);
  CHECK_THROWS_AS(enumerator<int>(TEXCAST_INPUT, 5, "status"), Error);
}

TEST_CASE("every exception becomes a status with a message") {
  texcast_error error = TEXCAST_ERROR_INIT;
  const auto status_of = [&](auto&& thrown) { return guarded(&error, [&]() -> texcast_status { throw thrown; }); };
  CHECK(status_of(std::bad_alloc()) == TEXCAST_NO_MEMORY);
  CHECK(status_of(std::runtime_error("of the system")) == TEXCAST_FAILED);
  CHECK(std::string(error.message) == "of the system");
  CHECK(status_of(Error(ErrorKind::corrupt, "bytes")) == TEXCAST_CORRUPT);
  CHECK(status_of(42) == TEXCAST_FAILED);
  CHECK(error.status == TEXCAST_FAILED);
  CHECK(error.message[0] != '\0');
  CHECK(guarded(nullptr, []() -> texcast_status { throw std::bad_alloc(); }) == TEXCAST_NO_MEMORY);
  CHECK(guarded_or(3, []() -> int { throw std::bad_alloc(); }) == 3);
}
