// stream_format.h — a texture's description as a stream carries it, and back.
#pragma once

#include "base/result.h"
#include "texcast/format.h"
#include "transport/stream.h"

namespace texcast::stream {

transport::StreamDesc stream_of(const TextureDesc& texture, double fps);

// Anyone may have sent the description: it is checked, and refused with a reason where we cannot show it.
Result<TextureDesc> texture_of(const transport::StreamDesc& stream);

}  // namespace texcast::stream
