#include "common/self_signed.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/descriptor.h"
#include "base/errno_text.h"
#include "texcast/error.h"
#include "transport/address.h"

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDays = 800;  // iOS accepts no more than 825
constexpr long kLeastLeft = 7L * 24 * 3600;

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using X509Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;

void require(bool done, const char* what) {
  if (!done) throw Error(ErrorKind::failed, fmt::format("cannot make a certificate: OpenSSL fails at {}", what));
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1, value.c_str());
}

// "DNS:studio,IP:192.0.2.1"
std::string alternative_names(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    const bool is_address = name.find(':') != name.npos || name.find_first_not_of("0123456789.") == name.npos;
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", is_address ? "IP" : "DNS", name);
  }
  return list;
}

X509Certificate made_for(const std::vector<std::string>& names, EVP_PKEY* key, WallTime now) {
  X509Certificate made(X509_new());
  X509* const certificate = made.get();
  require(certificate != nullptr, "X509_new");
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  require(X509_set_version(certificate, X509_VERSION_3) == 1, "the version");
  // Two certificates of an issuer may not share a number.
  require(ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), now.time_since_epoch().count()) == 1, "the number");
  // An hour for clocks that differ.
  require(ASN1_TIME_set(X509_getm_notBefore(certificate), seconds - 3600) != nullptr, "its begin");
  require(ASN1_TIME_set(X509_getm_notAfter(certificate), seconds + kDays * 24L * 3600) != nullptr, "its end");
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const std::string title = "texcast on " + (names.empty() ? "this machine" : names.front()).substr(0, 50);
  require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(title.c_str()), -1, -1, 0) == 1,
          "the name");
  require(X509_set_issuer_name(certificate, subject) == 1 && X509_set_pubkey(certificate, key) == 1, "the key");
  add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, NID_ext_key_usage, "serverAuth");
  if (!names.empty()) add_extension(certificate, NID_subject_alt_name, alternative_names(names));
  require(X509_sign(certificate, key, EVP_sha256()) > 0, "the signature");
  return made;
}

std::string fingerprint_of(X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned bytes = 0;
  require(X509_digest(certificate, EVP_sha256(), digest.data(), &bytes) == 1, "the fingerprint");
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest[i]);
  return text;
}

// Nothing if it is missing, or another user's.
std::optional<std::string> own_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found = {};
  if (!file.valid() || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != ::geteuid())
    return std::nullopt;
  std::string text(16384, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got <= 0) return std::nullopt;
  text.resize(static_cast<size_t>(got));
  return text;
}

Memory reader(const std::string& text) { return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// The fingerprint of a certificate that can still be used.
std::optional<std::string> usable(const Certificate& files, WallTime now) {
  const auto certificate_text = own_file(files.certificate_file), key_text = own_file(files.key_file);
  if (!certificate_text || !key_text) return std::nullopt;
  const X509Certificate certificate(PEM_read_bio_X509(reader(*certificate_text).get(), nullptr, nullptr, nullptr));
  const Key key(PEM_read_bio_PrivateKey(reader(*key_text).get(), nullptr, nullptr, nullptr));
  if (!certificate || !key || X509_check_private_key(certificate.get(), key.get()) != 1) return std::nullopt;
  time_t then = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count() + kLeastLeft;
  if (X509_cmp_time(X509_get0_notAfter(certificate.get()), &then) != 1) return std::nullopt;
  return fingerprint_of(certificate.get());
}

// Replaces the file atomically; it is never readable by others.
void write_own(const fs::path& path, BIO* text) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text, &bytes);
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid() || ::write(file.get(), bytes, static_cast<size_t>(size)) != size ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    if (file.valid()) ::unlink(temporary.c_str());
    throw Error(ErrorKind::failed, fmt::format("cannot write {}: {}", path.string(), errno_text(error)));
  }
}

}  // namespace

fs::path certificate_folder() {
  const auto folder_in = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value == '/' ? std::optional<fs::path>(value) : std::nullopt;
  };
  if (const auto state = folder_in("XDG_STATE_HOME")) return *state / "texcast";
  if (const auto home = folder_in("HOME")) return *home / ".local/state/texcast";
  throw Error(ErrorKind::failed,
              "no folder to keep a self-signed certificate in: set HOME, or give --web-cert FILE and --web-key FILE");
}

Certificate self_signed_certificate(const fs::path& folder, const std::vector<std::string>& names, WallTime now) {
  Certificate files{.certificate_file = folder / "web-cert.pem", .key_file = folder / "web-key.pem", .fingerprint = {}};
  if (auto fingerprint = usable(files, now)) {
    files.fingerprint = std::move(*fingerprint);
    return files;
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot create {}: {}", folder.string(), error.message()));
  const Key key(EVP_EC_gen("P-256"));
  require(key != nullptr, "the key");
  const X509Certificate certificate = made_for(names, key.get(), now);
  const Memory key_text(BIO_new(BIO_s_mem())), certificate_text(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1 &&
              PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1,
          "PEM");
  write_own(files.key_file, key_text.get());
  write_own(files.certificate_file, certificate_text.get());
  files.fingerprint = fingerprint_of(certificate.get());
  files.is_new = true;
  return files;
}

}  // namespace texcast::cli
