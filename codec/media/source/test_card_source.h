// test_card_source.h — the test card as a FrameSource: endless, not paced (the sender does that).
#pragma once

#include <memory>

#include "media/frame_source.h"

namespace texcast::media {

std::unique_ptr<FrameSource> open_test_card(const SourceSettings& settings);

}  // namespace texcast::media
