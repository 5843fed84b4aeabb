#include "texcast/file_check.h"

#include "media/clip_check.h"
#include "media/require_path.h"

namespace texcast {

FileCheck check_file(const std::string& path, const std::function<bool(int64_t frames)>& go_on) {
  media::require_path(path, __func__);
  return media::check_clip(*media::open_clip(path), go_on);
}

}  // namespace texcast
