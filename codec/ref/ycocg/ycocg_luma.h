// ycocg_luma.h — the luma of a texel whose chroma is fixed; it compensates a part of the chroma's error.
#pragma once

namespace texcast::ref {

// Returns the luma that brings R, G and B nearest to the source, in twelfths, 0..3060. co, cg: 4 times the decoded
// ones.
int luma_target(int r, int g, int b, int co, int cg);

}  // namespace texcast::ref
