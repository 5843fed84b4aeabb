// ktx2.h — the two ends of a KTX2 file behind still.h.
#pragma once

#include "container/still.h"

namespace texcast::container {

std::unique_ptr<StillWriter> make_ktx2_writer(const StillOptions& options);
Result<StillInfo> inspect_ktx2(Bytes file);
Result<void> check_ktx2(Bytes file);
Result<void> read_ktx2(Bytes file, MutableBytes blocks);
bool looks_like_ktx2(Bytes start_of_file);

}  // namespace texcast::container
