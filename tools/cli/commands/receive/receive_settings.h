// receive_settings.h — what `play` and `receive` ask of a stream, from their options.
#pragma once

#include "cli/options.h"
#include "transport/receive_session.h"

namespace texcast::cli {

// Throws Error{usage} where options do not go together.
void check_receiving(const StreamOptions& options);

// Reads the key file, which takes a moment. Warns where the cipher can be forged. Throws Error{usage}, Error{input}.
transport::ReceiveSettings receive_settings(const StreamOptions& options);

// The same for a screen whose textures have at most so many texels a side; 0: any.
transport::ReceiveSettings limited_to(transport::ReceiveSettings settings, int largest_texture);

}  // namespace texcast::cli
