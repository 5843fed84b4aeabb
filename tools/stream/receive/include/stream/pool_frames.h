// pool_frames.h — how many received frames `play` and `receive` have use for at a time.
#pragma once

#include <cstddef>

#include "live/receiving_thread.h"
#include "stream/mailbox.h"
#include "stream/recording.h"

namespace texcast::stream {

// The queue of the recording, those that wait for their time, the frame shown and the one uploaded ahead, those of the
// session, and some slack.
inline constexpr size_t kPoolFrames = Recording::kQueueFrames + Mailbox::kPlaces + ReceivingThread::kOwnFrames;

}  // namespace texcast::stream
