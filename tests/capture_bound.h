// capture_bound.h — doctest's CAPTURE for names of structured bindings, which lambdas cannot capture in clang before
// 16.
#pragma once

#include <doctest/doctest.h>

#define CAPTURE_BOUND(bound) TEXCAST_CAPTURE_AS(bound, DOCTEST_ANONYMOUS(captured_))
#define TEXCAST_CAPTURE_AS(bound, reference) \
  const auto& reference = bound;             \
  INFO(#bound " := ", reference)
