// receive_settings.h — settings of the receiver by the options of `play` and `receive`.
#pragma once

#include "cli/options.h"
#include "transport/receive_session.h"

namespace texcast::cli {

// Throws Error{usage} if options contradict each other.
void check_receiving(const StreamOptions& options);

// Reads the key file, and derives keys for about 0.1 s. Warns if the cipher does not authenticate. Throws Error{usage},
// Error{input}.
transport::ReceiveSettings receive_settings(const StreamOptions& options);

// The same settings, with pictures limited to `largest_texture` texels a side; 0: no limit.
transport::ReceiveSettings limited_to(transport::ReceiveSettings settings, int largest_texture);

}  // namespace texcast::cli
