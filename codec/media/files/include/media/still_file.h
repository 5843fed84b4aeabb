// still_file.h — which files hold one texture (DDS, KTX2), and their bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "container/still.h"

namespace texcast::media {

std::optional<container::StillKind> still_kind(const std::string& path);  // by its extension
const char* name(container::StillKind kind);                              // "dds"

// A whole file into `bytes`. A Failure names it and the system's reason.
Result<void> read_whole_file(const std::string& path, std::vector<std::byte>& bytes);

}  // namespace texcast::media
