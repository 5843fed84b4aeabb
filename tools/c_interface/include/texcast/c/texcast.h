// texcast.h — includes all headers of the C interface, whose library is libtexcast-c.
#pragma once

#include "texcast/c/decoder.h"
#include "texcast/c/device.h"
#include "texcast/c/discovery.h"
#include "texcast/c/encoder.h"
#include "texcast/c/file.h"
#include "texcast/c/format.h"
#include "texcast/c/frame.h"
#include "texcast/c/log.h"
#include "texcast/c/receiver.h"
#include "texcast/c/sender.h"
#include "texcast/c/sound.h"
#include "texcast/c/status.h"
#include "texcast/c/texture.h"
