// still_kinds.h — the kinds of file behind still.h, by which it dispatches.
#pragma once

#include <memory>

#include "container/still.h"

namespace texcast::container {

std::unique_ptr<StillWriter> make_dds_writer(const StillOptions& options);
Result<StillInfo> inspect_dds(Bytes file);
Result<void> check_dds(Bytes file);
Result<void> read_dds(Bytes file, MutableBytes blocks);
bool looks_like_dds(Bytes start_of_file);

std::unique_ptr<StillWriter> make_ktx2_writer(const StillOptions& options);
Result<StillInfo> inspect_ktx2(Bytes file);
Result<void> check_ktx2(Bytes file);
Result<void> read_ktx2(Bytes file, MutableBytes blocks);
bool looks_like_ktx2(Bytes start_of_file);

}  // namespace texcast::container
