// Transform slices by a device, compared with the CPU's.
#include <doctest/doctest.h>

#include "compact/contexts.h"
#include "compact/transform_symbols.h"
#include "compact/transform_syntax.h"
#include "kernels/compact.h"

using namespace texcast::compact;

TEST_CASE("kernels and host agree on the symbols of transform slices") {
  CHECK(transform_context::kMode.first == TEXCAST_MACROBLOCK_MODE_CONTEXT);
  CHECK(transform_context::kCodedLuma.first == TEXCAST_CODED_LUMA_CONTEXT);
  CHECK(transform_context::kCodedChroma.first == TEXCAST_CODED_CHROMA_CONTEXT);
  CHECK(transform_context::kLast.first == TEXCAST_LAST_CONTEXT);
  CHECK(transform_context::kLastMagnitude.first == TEXCAST_LAST_MAGNITUDE_CONTEXT);
  CHECK(transform_context::kMagnitude.first == TEXCAST_MAGNITUDE_CONTEXT);
  CHECK(transform_context::kEscape.first == TEXCAST_ESCAPE_CONTEXT);
  CHECK(transform_context::kEnd == TEXCAST_TRANSFORM_LITERAL_CONTEXT);
  CHECK(TEXCAST_TRANSFORM_LITERAL_CONTEXT + context::kLiteral.size <= TEXCAST_TRANSFORM_CONTEXTS);
  CHECK(kListedLiteralContext == TEXCAST_TRANSFORM_LITERAL_CONTEXT);
  CHECK(kListedContexts == TEXCAST_TRANSFORM_CONTEXTS);
  CHECK(kListedComponentAt == TEXCAST_TRANSFORM_COMPONENT_AT);
  CHECK(static_cast<int>(Content::transform) == TEXCAST_TRANSFORM_CONTENT);
  CHECK(kMostMacroblocks == TEXCAST_MACROBLOCKS);
  CHECK(kTransformComponents == TEXCAST_TRANSFORM_COMPONENTS);
  CHECK(kTransformComponents * kMostTransformBlocks == TEXCAST_TRANSFORM_BLOCKS);
  CHECK(kCoefficients == TEXCAST_COEFFICIENTS);
}
