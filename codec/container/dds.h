// dds.h — the two ends of a DDS file behind still.h.
#pragma once

#include "container/still.h"

namespace texcast::container {

std::unique_ptr<StillWriter> make_dds_writer(const StillOptions& options);
Result<StillInfo> inspect_dds(Bytes file);
Result<void> check_dds(Bytes file);
Result<void> read_dds(Bytes file, MutableBytes blocks);
bool looks_like_dds(Bytes start_of_file);

}  // namespace texcast::container
