#include "container/still.h"

#include <fmt/core.h>

#include "find_coding.h"
#include "still_kinds.h"

namespace texcast::container {

std::unique_ptr<StillWriter> make_still_writer(StillKind kind, const StillOptions& options) {
  return kind == StillKind::dds ? make_dds_writer(options) : make_ktx2_writer(options);
}

Result<StillInfo> inspect_still(StillKind kind, Bytes file, const StillPart& part) {
  return kind == StillKind::dds ? inspect_dds(file, part) : inspect_ktx2(file, part);
}

Result<void> check_still(StillKind kind, Bytes file, const StillPart& part) {
  return kind == StillKind::dds ? check_dds(file, part) : check_ktx2(file, part);
}

Result<void> read_still(StillKind kind, Bytes file, MutableBytes blocks, const StillPart& part) {
  return kind == StillKind::dds ? read_dds(file, blocks, part) : read_ktx2(file, blocks, part);
}

Result<void> check_part(const StillPart& part, const StillCounts& counts) {
  const auto missing = [](const char* what, int wanted, int count) {
    return Failure{count == 1 ? fmt::format("it has no {0} {1}: one {0} is there, number 0", what, wanted)
                              : fmt::format("it has no {0} {1}: {0}s 0 to {2} are there", what, wanted, count - 1)};
  };
  if (part.level < 0 || part.level >= counts.levels) return missing("level", part.level, counts.levels);
  if (part.layer < 0 || part.layer >= counts.layers) return missing("layer", part.layer, counts.layers);
  if (part.face < 0 || part.face >= counts.faces) return missing("face", part.face, counts.faces);
  return {};
}

bool looks_like(StillKind kind, Bytes start_of_file) {
  return kind == StillKind::dds ? looks_like_dds(start_of_file) : looks_like_ktx2(start_of_file);
}

}  // namespace texcast::container
