// hap_images.h — which sections of a frame are its images.
#pragma once

#include <array>

#include "base/bytes.h"
#include "base/result.h"
#include "container/hap_frame.h"
#include "hap_section.h"

namespace texcast::container {

// In the order of HapImages.
using HapImageSections = std::array<HapSection, kMaxHapImages>;

// The images of a frame: at its top level when it is one, inside a section around both when they are two. Other
// sections are skipped, as the format asks. A Failure where they are not those that are wanted.
Result<HapImageSections> find_hap_images(Bytes frame, const HapImages& images);

}  // namespace texcast::container
