#include "container/still.h"

#include <fmt/core.h>

#include "base/ensure.h"
#include "still_kinds.h"

namespace texcast::container {

std::unique_ptr<StillWriter> make_still_writer(StillKind kind, const StillOptions& options) {
  switch (kind) {
    case StillKind::dds: return make_dds_writer(options);
    case StillKind::ktx2: return make_ktx2_writer(options);
    case StillKind::astc: return make_astc_writer();
  }
  ENSURE(false);
}

Result<StillInfo> inspect_still(StillKind kind, Bytes file, const StillPart& part) {
  switch (kind) {
    case StillKind::dds: return inspect_dds(file, part);
    case StillKind::ktx2: return inspect_ktx2(file, part);
    case StillKind::astc: return inspect_astc(file, part);
  }
  ENSURE(false);
}

Result<void> check_still(StillKind kind, Bytes file, const StillPart& part) {
  switch (kind) {
    case StillKind::dds: return check_dds(file, part);
    case StillKind::ktx2: return check_ktx2(file, part);
    case StillKind::astc: return check_astc(file, part);
  }
  ENSURE(false);
}

Result<void> read_still(StillKind kind, Bytes file, MutableBytes blocks, const StillPart& part) {
  switch (kind) {
    case StillKind::dds: return read_dds(file, blocks, part);
    case StillKind::ktx2: return read_ktx2(file, blocks, part);
    case StillKind::astc: return read_astc(file, blocks, part);
  }
  ENSURE(false);
}

void each_image(StillKind kind, Bytes file, const TakeImage& take) {
  switch (kind) {
    case StillKind::dds: return each_dds_image(file, take);
    case StillKind::ktx2: return each_ktx2_image(file, take);
    case StillKind::astc: return each_astc_image(file, take);
  }
  ENSURE(false);
}

Result<uint64_t> still_bytes(StillKind kind, Bytes head) {
  switch (kind) {
    case StillKind::dds: return dds_bytes(head);
    case StillKind::ktx2: return ktx2_bytes(head);
    case StillKind::astc: return astc_bytes(head);
  }
  ENSURE(false);
}

Failure with_lost(const Failure& failure, uint64_t lost) {
  if (lost == 0) return failure;
  return {fmt::format("{}; {} after it {} lost too", failure.message,
                      lost == 1 ? "one image" : fmt::format("{} images", lost), lost == 1 ? "is" : "are")};
}

Result<void> check_part(const StillPart& part, const StillCounts& counts) {
  const auto missing = [](const char* what, int wanted, int count) {
    return Failure{count == 1 ? fmt::format("it has no {0} {1}, only {0} 0", what, wanted)
                              : fmt::format("it has no {0} {1}, only {0}s 0 to {2}", what, wanted, count - 1)};
  };
  if (part.level < 0 || part.level >= counts.levels) return missing("level", part.level, counts.levels);
  if (part.layer < 0 || part.layer >= counts.layers) return missing("layer", part.layer, counts.layers);
  if (part.face < 0 || part.face >= counts.faces) return missing("face", part.face, counts.faces);
  return {};
}

bool looks_like(StillKind kind, Bytes start_of_file) {
  switch (kind) {
    case StillKind::dds: return looks_like_dds(start_of_file);
    case StillKind::ktx2: return looks_like_ktx2(start_of_file);
    case StillKind::astc: return looks_like_astc(start_of_file);
  }
  ENSURE(false);
}

std::string list_formats_of(StillKind kind) {
  std::string list;
  for (const Format& row : formats())
    if (can_hold(kind, row.id)) list.append(list.empty() ? "" : ", ").append(row.name);
  return list;
}

}  // namespace texcast::container
