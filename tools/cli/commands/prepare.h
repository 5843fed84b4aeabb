// prepare.h — `texcast doctor --prepare`: the kernels that `encode`, `send`, `play` and `receive` usually need, built
// ahead and kept, so that no later start compiles them.
#pragma once

#include <optional>
#include <string>

#include "texcast/format.h"

namespace texcast::cli {

// Of one format, or of the usual ones; on the devices that `selectors` choose. A line of stdout tells what was built
// and how long that took. Throws Error{no_device} where something does not build.
void prepare_kernels(const std::string& selectors, const std::optional<TextureFormat>& format);

}  // namespace texcast::cli
