#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>

using namespace texcast;

namespace {
Result<int> half(int value) {
  if (value % 2 != 0) return Failure{"odd"};
  return value / 2;
}
}  // namespace

TEST_CASE("a result is either its value or its reason") {
  const Result<int> good = half(8);
  REQUIRE(good);
  CHECK(*good == 4);
  const Result<int> bad = half(7);
  CHECK_FALSE(bad.has_value());
  CHECK(bad.error().message == "odd");
}

TEST_CASE("a move-only value can be taken out") {
  Result<std::unique_ptr<int>> made(std::make_unique<int>(3));
  const std::unique_ptr<int> taken = std::move(made).value();
  CHECK(*taken == 3);
}

TEST_CASE("an empty optional is a value, not a failure") {
  const Result<std::optional<int>> end(std::optional<int>{});
  REQUIRE(end);
  CHECK_FALSE(end->has_value());
}

TEST_CASE("a result without a value") {
  CHECK(Result<void>{});
  const Result<void> bad(Failure{"no"});
  CHECK_FALSE(bad);
  CHECK(bad.error().message == "no");
}
