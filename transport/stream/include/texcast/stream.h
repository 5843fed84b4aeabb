// stream.h — both ends of a stream.
#pragma once

#include "texcast/stream_receiver.h"
#include "texcast/stream_sender.h"
