// outputs.h — files that commands write: whether they can be, before anything starts, and what becomes of files that
// have their names already.
#pragma once

#include <string>

#include "base/if_exists.h"
#include "media/recorder.h"

namespace texcast::cli {

// Throws Error{failed}: the folder is not there, or may not be written to, or its disk is as good as full.
void check_place(const std::string& path);

// Of a recording that begins: its place and extension are checked, recordings of that name that were never closed are
// recovered and left alone, and the name is claimed (settings.claim). With all that the log tells. Throws NameTaken,
// Error{usage}, Error{failed}. No path: nothing is recorded, nothing is done.
enum class Start {
  now /* the input is there */,
  with_the_first_frame /* which may be long: no frame is refused then */
};
void claim_output(media::RecorderSettings& settings, IfExists if_exists, Start start);

}  // namespace texcast::cli
