#include "container/still.h"

#include "find_coding.h"
#include "still_kinds.h"

namespace texcast::container {

std::unique_ptr<StillWriter> make_still_writer(StillKind kind, const StillOptions& options) {
  return kind == StillKind::dds ? make_dds_writer(options) : make_ktx2_writer(options);
}

Result<StillInfo> inspect_still(StillKind kind, Bytes file) {
  return kind == StillKind::dds ? inspect_dds(file) : inspect_ktx2(file);
}

Result<void> check_still(StillKind kind, Bytes file) {
  return kind == StillKind::dds ? check_dds(file) : check_ktx2(file);
}

Result<void> read_still(StillKind kind, Bytes file, MutableBytes blocks) {
  return kind == StillKind::dds ? read_dds(file, blocks) : read_ktx2(file, blocks);
}

bool looks_like(StillKind kind, Bytes start_of_file) {
  return kind == StillKind::dds ? looks_like_dds(start_of_file) : looks_like_ktx2(start_of_file);
}

}  // namespace texcast::container
