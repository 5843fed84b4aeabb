// pool_frames.h — the number of received frames that `play` and `receive` can hold at a time.
#pragma once

#include <cstddef>

#include "live/receiving_thread.h"
#include "stream/mailbox.h"
#include "stream/recording.h"

namespace texcast::stream {

// The recording's queue, frames that wait for their time, the frame on the screen and the one uploaded ahead, the
// session's frames, and a reserve.
inline constexpr size_t kPoolFrames = Recording::kQueueFrames + Mailbox::kPlaces + ReceivingThread::kOwnFrames;

}  // namespace texcast::stream
