// prepare_kernels.h — `texcast doctor --prepare`: the kernels that `encode`, `send`, `play` and `receive` usually need,
// built ahead and kept, so that no later start compiles them.
#pragma once

#include <optional>
#include <string>

#include "texcast/format.h"

namespace texcast::cli {

// Builds the kernels of `format`, or of the usual formats, on the devices that `selectors` choose. Prints a line to
// stdout for each step, with the time that it took. Throws Error{no_device} if something does not build.
void prepare_kernels(const std::string& selectors, const std::optional<TextureFormat>& format);

}  // namespace texcast::cli
