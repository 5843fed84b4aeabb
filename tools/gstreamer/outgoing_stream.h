// outgoing_stream.h — the StreamSender of a sink.
#pragma once

#include "deferred.h"
#include "texcast/stream_sender.h"

namespace texcast::gstreamer {

using OutgoingStream = Deferred<StreamSender>;

// Waits until all frames have left, at most `limit`. False: they have not, there is no sender, or the wait was
// interrupted. Throws as StreamSender::finish().
bool finish(OutgoingStream& stream, nanoseconds limit);

}  // namespace texcast::gstreamer
