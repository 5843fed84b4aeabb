#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/descriptor.h"
#include "base/errno_text.h"
#include "base/log.h"
#include "base/whole_io.h"
#include "host_names.h"
#include "texcast/error.h"
#include "transport/interface.h"
#include "transport/web_certificate.h"

namespace texcast::web {
namespace {

namespace fs = std::filesystem;

// Apple's systems take none that is valid longer (825 days).
constexpr long kValidSeconds = 820L * 24 * 3600;
constexpr long kRenewSeconds = 30L * 24 * 3600;
constexpr size_t kMostNames = 100;

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;

std::string openssl_reason() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

[[noreturn]] void cannot_make(const std::string& what) {
  throw Error(ErrorKind::failed, fmt::format("cannot make a certificate for browsers: {}", what));
}

void require(bool worked) {
  if (!worked) cannot_make(openssl_reason());
}

Bio open_file(const std::string& path, const char* what) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid())
    throw Error(ErrorKind::input, fmt::format("cannot read the {} '{}': {}", what, path, errno_text(errno)));
  Bio bio(BIO_new_file(path.c_str(), "r"));
  if (!bio) throw Error(ErrorKind::input, fmt::format("cannot read the {} '{}': {}", what, path, openssl_reason()));
  return bio;
}

Certificate read_certificate(const std::string& path) {
  const Bio bio = open_file(path, "certificate");
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!certificate) {
    ERR_clear_error();
    throw Error(
        ErrorKind::input,
        fmt::format("'{}' contains no certificate; give a PEM file, which begins with -----BEGIN CERTIFICATE-----",
                    path));
  }
  return certificate;
}

Key read_key(const std::string& path) {
  const Bio bio = open_file(path, "key");
  bool encrypted = false;
  // Without a function of ours, OpenSSL would ask on the terminal.
  const auto on_passphrase = [](char*, int, int, void* asked) {
    *static_cast<bool*>(asked) = true;
    return -1;
  };
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, on_passphrase, &encrypted));
  if (!key) {
    ERR_clear_error();
    throw Error(
        ErrorKind::input,
        encrypted
            ? fmt::format("the key '{}' has a passphrase; remove it: openssl pkey -in '{}' -out NEW.pem", path, path)
            : fmt::format("'{}' contains no private key; give a PEM file, which begins with -----BEGIN PRIVATE "
                          "KEY-----",
                          path));
  }
  return key;
}

std::vector<std::string> names_in(const X509& certificate) {
  std::vector<std::string> names;
  auto* all = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; all != nullptr && i < sk_GENERAL_NAME_num(all); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all, i);
    if (name->type != GEN_DNS) continue;
    const auto* text = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
    names.emplace_back(text, static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  GENERAL_NAMES_free(all);
  return names;
}

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned bytes = 0;
  X509_digest(&certificate, EVP_sha256(), hash.data(), &bytes);
  std::string text;
  for (const unsigned char byte : std::span(hash).first(bytes))
    text += fmt::format("{}{:02X}", text.empty() ? "" : ":", byte);
  return text;
}

bool is_ip_address(const std::string& name) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

// "DNS:studio,IP:192.0.2.1" of what may stand in such a list.
std::string alternative_names(const std::vector<std::string>& more) {
  std::vector<std::string> names = more;
  for (std::string& name : machine_names()) names.push_back(std::move(name));
  names.insert(names.end(), {"localhost", "127.0.0.1", "::1"});
  for (const auto& interface : transport::network_interfaces())
    if (interface.up) names.insert(names.end(), interface.addresses.begin(), interface.addresses.end());
  std::string list;
  std::set<std::string> used;
  for (const std::string& name : names) {
    const bool usable = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':' || c == '*';
    });
    if (!usable || used.size() >= kMostNames || !used.insert(name).second) continue;
    if (!is_ip_address(name) && name.find(':') != std::string::npos) continue;
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", is_ip_address(name) ? "IP" : "DNS", name);
  }
  return list;
}

void add_extension(X509& certificate, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require(extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1);
}

// The certificate and its key, as PEM.
std::string make_pem(const std::vector<std::string>& names) {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const Certificate certificate(X509_new());
  require(key != nullptr && certificate != nullptr);
  uint64_t serial = 0;
  randombytes_buf(&serial, sizeof serial);
  X509_set_version(certificate.get(), X509_VERSION_3);
  require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1 | 1) == 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -24L * 3600);  // for clocks that are behind
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kValidSeconds);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto own = machine_names();
  const std::string common = "texcast on " + (own.empty() ? "this machine" : own.front());
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common.c_str()),
                                     -1, -1, 0) == 1);
  require(X509_set_issuer_name(certificate.get(), name) == 1 && X509_set_pubkey(certificate.get(), key.get()) == 1);
  add_extension(*certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(*certificate, NID_key_usage, "critical,digitalSignature");
  add_extension(*certificate, NID_ext_key_usage, "serverAuth");
  add_extension(*certificate, NID_subject_alt_name, alternative_names(names));
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  const Bio memory(BIO_new(BIO_s_mem()));
  require(memory != nullptr && PEM_write_bio_X509(memory.get(), certificate.get()) == 1 &&
          PEM_write_bio_PKCS8PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  char* text = nullptr;
  const long bytes = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<size_t>(bytes)};
}

// The XDG specification says that relative paths are ignored.
std::optional<fs::path> folder_of_variable(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::optional<fs::path>(value) : std::nullopt;
}

fs::path data_folder() {
  if (const auto data = folder_of_variable("XDG_DATA_HOME")) return *data;
  if (const auto home = folder_of_variable("HOME")) return *home / ".local/share";
  cannot_make("neither XDG_DATA_HOME nor HOME says where to keep it; give one by --web-cert and --web-key");
}

// Whether the file can still be used: it is this user's alone, complete, and valid for a while.
bool usable(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return false;
  if (!S_ISREG(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    log_warning("the certificate '{}' could be read or changed by others, and is made anew", path);
    return false;
  }
  try {
    if (check_certificate({.certificate = path, .key = path}).expired) return false;
    time_t soon = time(nullptr) + kRenewSeconds;
    return X509_cmp_time(X509_get0_notAfter(read_certificate(path).get()), &soon) > 0;
  } catch (const Error& error) {
    log_warning("{}; it is made anew", error.what());
    return false;
  }
}

// Replaces the file at once; it is never readable by others.
void store(const std::string& path, const std::string& pem) {
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (!file.valid()) cannot_make(fmt::format("'{}' cannot be written: {}", path, errno_text(errno)));
  int error = write_all(file.get(), std::as_bytes(std::span(pem)));
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  unlink(temporary.c_str());
  cannot_make(fmt::format("'{}' cannot be written: {}", path, errno_text(error)));
}

}  // namespace

CertificateFiles self_signed_certificate(const std::vector<std::string>& names, const std::string& folder) {
  const std::string path = (folder.empty() ? data_folder() : fs::path(folder)) / "texcast" / "web.pem";
  if (!usable(path)) store(path, make_pem(names));
  return {.certificate = path, .key = path};
}

CertificateFacts check_certificate(const CertificateFiles& files) {
  const Certificate certificate = read_certificate(files.certificate);
  const Key key = read_key(files.key);
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    throw Error(ErrorKind::input,
                fmt::format("the key '{}' does not belong to the certificate '{}'", files.key, files.certificate));
  }
  return {.names = names_in(*certificate),
          .fingerprint = fingerprint_of(*certificate),
          .self_signed =
              X509_NAME_cmp(X509_get_subject_name(certificate.get()), X509_get_issuer_name(certificate.get())) == 0,
          .expired = X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0 ||
                     X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0};
}

}  // namespace texcast::web
