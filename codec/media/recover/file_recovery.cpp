#include "texcast/file_recovery.h"

#include "media/recovery.h"
#include "media/require_path.h"

namespace texcast {

RecoveryReport recover_file(const RecoverySettings& settings) {
  media::require_path(settings.recording, __func__);
  if (!settings.output.empty()) media::require_path(settings.output, __func__);
  REQUIRE_USE(settings.if_exists >= IfExists::refuse && settings.if_exists <= IfExists::number,
              "there is no such IfExists");
  return media::recover_recording(settings);
}

}  // namespace texcast
