// transform_symbols.h — the symbols of transform slices as backends list them, in 16 bits each: from bit 12 on the
// component whose tables code the symbol, from bit 4 on its context, and its value. kernels/compact.h has the same
// numbers.
#pragma once

#include <cstdint>

#include "compact/transform_syntax.h"

namespace texcast::compact {

inline constexpr int kListedComponentAt = 12, kListedContextAt = 4;
// A context has 8 bits, so literal bits are listed with the contexts that follow all others of transform slices.
inline constexpr int kListedLiteralContext = transform_context::kEnd;
inline constexpr int kListedContexts = 256;
static_assert(kListedLiteralContext + context::kLiteral.size <= kListedContexts);

// The number of a context in contexts.h and transform_syntax.h, by that in a list; -1: there is none.
constexpr int transform_context_of(int listed) {
  const int literal = listed - kListedLiteralContext;
  if (literal < 0) return listed;
  return literal < context::kLiteral.size ? context::kLiteral.first + literal : -1;
}

struct ListedSymbol {
  int component, context, value;  // `context`: transform_context_of()
  // False: no transform slice has such a symbol.
  bool is_valid() const { return component < kTransformComponents && context >= 0; }
};
constexpr ListedSymbol listed_symbol(uint16_t listed) {
  return {listed >> kListedComponentAt, transform_context_of(listed >> kListedContextAt & (kListedContexts - 1)),
          listed & (kSymbols - 1)};
}

}  // namespace texcast::compact
