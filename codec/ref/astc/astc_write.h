// astc_write.h — packs the bits of a block (section 23.8).
#pragma once

#include "astc_fit.h"

namespace texcast::ref::astc {

AstcBlock write(const Tables& tables, const Fitted& fitted);
AstcBlock write_flat(const AstcRgba& color);  // a void-extent block without bounds

}  // namespace texcast::ref::astc
