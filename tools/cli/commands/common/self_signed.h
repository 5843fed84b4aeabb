// self_signed.h — a certificate for https:// that this machine signs itself. Browsers warn about it, once if it stays
// the same, so it is made once and kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::cli {

struct Certificate {
  std::string certificate_file, key_file;  // PEM
  std::string fingerprint;                 // SHA-256, "AB:CD:…", as browsers show it
  bool is_new = false;
};

// The certificate in `folder`, or a new one for these names and IP addresses if there is none that is its owner's,
// readable, and valid for another week. Throws Error{failed} if it cannot be made or written.
Certificate self_signed_certificate(const std::filesystem::path& folder, const std::vector<std::string>& names,
                                    WallTime now);
// Where it is kept: $XDG_STATE_HOME/texcast, or ~/.local/state/texcast. Throws Error{failed} without a home.
std::filesystem::path certificate_folder();

}  // namespace texcast::cli
