// web_certificate.h — certificates for HTTPS: a self-signed one, and what a certificate says.
//
// Thread-safe: functions only.
#pragma once

#include <string>
#include <vector>

namespace texcast::web {

struct CertificateFiles {
  std::string certificate, key;  // paths of PEM files; they may be the same file
};

// This user's self-signed certificate: the file texcast/web.pem in `folder` (default: $XDG_DATA_HOME or
// ~/.local/share), which only the user can read. It is made at the first call, for this machine's names and addresses
// and `names`, and kept for two years, so that browsers whose users have accepted it go on doing so, even if names or
// addresses change. Throws Error{failed} if it cannot be stored.
CertificateFiles self_signed_certificate(const std::vector<std::string>& names = {}, const std::string& folder = "");

struct CertificateFacts {
  std::vector<std::string> names;  // DNS names that it is valid for; may begin with "*."
  std::string fingerprint;         // SHA-256 as browsers show it: "AB:12:…"
  bool self_signed = false;
  bool expired = false;  // … or not valid yet
};
// Reads a certificate and its key. Throws Error{input}, which says which file is wrong and what it has to be.
CertificateFacts check_certificate(const CertificateFiles& files);

}  // namespace texcast::web
