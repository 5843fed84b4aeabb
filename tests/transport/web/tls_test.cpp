// HTTPS and WSS: certificates, and what is said about wrong ones.
#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "check_error.h"
#include "command_output.h"
#include "server_support.h"
#include "temporary_folder.h"
#include "transport/web_certificate.h"

using namespace texcast;
using namespace texcast::test;

namespace {

namespace fs = std::filesystem;

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// A TLS connection that takes any certificate.
class TlsClient {
 public:
  explicit TlsClient(uint16_t port, int most_version = TLS1_3_VERSION)
      : socket_(connect_to(port)), context_(SSL_CTX_new(TLS_client_method())), tls_(SSL_new(context_)) {
    SSL_set_max_proto_version(tls_, most_version);
    SSL_set_fd(tls_, socket_.get());
    connected_ = SSL_connect(tls_) == 1;
  }
  ~TlsClient() {
    SSL_free(tls_);
    SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool connected() const { return connected_; }
  std::string version() const { return SSL_get_version(tls_); }
  void send(const std::string& bytes) { SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size())); }
  // Reads until `end` came, or the connection ended.
  std::string read_until(const std::string& end) {
    std::string text;
    std::array<char, 4096> bytes{};
    while (text.find(end) == std::string::npos) {
      const int got = SSL_read(tls_, bytes.data(), bytes.size());
      if (got <= 0) break;
      text.append(bytes.data(), static_cast<size_t>(got));
    }
    return text;
  }

 private:
  Descriptor socket_;
  SSL_CTX* context_;
  SSL* tls_;
  bool connected_ = false;
};

web::ServerSettings with_certificate(const web::CertificateFiles& files) {
  auto made = settings();
  made.certificate = files.certificate;
  made.key = files.key;
  return made;
}

}  // namespace

TEST_CASE("pages and streams are served by HTTPS with a self-signed certificate") {
  const TemporaryFolder folder;
  web::Server server(with_certificate(web::self_signed_certificate({}, folder.path)));
  CHECK(server.urls() == std::vector{fmt::format("https://127.0.0.1:{}/", server.port())});
  const auto stream = server.add(bc1());
  const std::string host = fmt::format("Host: 127.0.0.1:{}\r\n", server.port());
  TlsClient page(server.port());
  REQUIRE(page.connected());
  CHECK(page.version() == "TLSv1.3");
  page.send("GET / HTTP/1.1\r\n" + host + "\r\n");
  const std::string reply = page.read_until("the page");
  CHECK(reply.starts_with("HTTP/1.1 200"));
  CHECK(reply.find(fmt::format("connect-src 'self' wss://127.0.0.1:{};", server.port())) != std::string::npos);

  TlsClient viewer(server.port());
  viewer.send("GET /stream HTTP/1.1\r\n" + host + fmt::format("Origin: https://127.0.0.1:{}\r\n", server.port()) +
              "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: texcast.1\r\n\r\n");
  CHECK(viewer.read_until("\r\n\r\n").starts_with("HTTP/1.1 101"));
  viewer.send(WebClient::frame(1, hello()));
  CHECK(viewer.read_until("\"sealed\"").find("\"welcome\"") != std::string::npos);
  wait_until([&] { return stream->has_viewers(); });
  // More than the kernel takes at once, so that libwebsockets keeps some of it.
  const std::string large(60'000, 'x'), last = "the last datagram";
  for (int i = 0; i < 4; ++i) stream->send(web::Channel::picture, std::vector{packet(large)});
  stream->send(web::Channel::picture, std::vector{packet(last)});
  CHECK(viewer.read_until(last).find(large) != std::string::npos);
  // Old versions of TLS, and no TLS at all, are refused.
  CHECK(!TlsClient(server.port(), TLS1_1_VERSION).connected());
  CHECK(TlsClient(server.port(), TLS1_2_VERSION).connected());
  CHECK(WebClient(server.port()).get("/").status == 0);
}

TEST_CASE("a self-signed certificate is kept for its user alone, as long as it is valid") {
  const TemporaryFolder folder;
  const auto first = web::self_signed_certificate({"video.example.org", "192.0.2.7", "bad,DNS:name"}, folder.path);
  CHECK(first.certificate == (folder.path / "texcast/web.pem").string());
  CHECK(first.key == first.certificate);
  struct stat found {};
  REQUIRE(stat(first.certificate.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  const std::string pem = file_text(first.certificate);
  web::self_signed_certificate({"other.example.org"}, folder.path);
  CHECK(file_text(first.certificate) == pem);
  const auto facts = web::check_certificate(first);
  CHECK(std::ranges::count(facts.names, "video.example.org") == 1);
  CHECK(std::ranges::count(facts.names, "localhost") == 1);
  CHECK(facts.self_signed);
  CHECK(!facts.expired);
  // OpenSSL's own program says the same.
  const std::string text = output_of("openssl x509 -noout -text -fingerprint -sha256 -in '" + first.certificate + "'");
  CHECK(text.find("IP Address:192.0.2.7") != std::string::npos);
  CHECK(text.find("DNS:video.example.org") != std::string::npos);
  CHECK(text.find("bad") == std::string::npos);
  CHECK(text.find("CA:FALSE") != std::string::npos);
  CHECK(text.find("Fingerprint=" + facts.fingerprint) != std::string::npos);
  CHECK(output_of("openssl x509 -checkend 69120000 -noout -in '" + first.certificate + "'").find("will not expire") !=
        std::string::npos);  // 800 days
  // Others could have changed it: made anew.
  REQUIRE(chmod(first.certificate.c_str(), 0644) == 0);
  web::self_signed_certificate({}, folder.path);
  CHECK(file_text(first.certificate) != pem);
  // Damaged, or soon expired: made anew.
  write(first.certificate, "damaged");
  web::self_signed_certificate({}, folder.path);
  CHECK_NOTHROW(web::check_certificate(first));
  output_of("cd '" + folder.path.string() +
            "' && openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=short -days 20 -keyout short.key -out "
            "short.pem 2>&1 && "
            "cat short.pem short.key > texcast/web.pem && chmod 600 texcast/web.pem");
  const std::string soon = file_text(first.certificate);
  CHECK(web::check_certificate(first).names.empty());
  web::self_signed_certificate({}, folder.path);
  CHECK(file_text(first.certificate) != soon);
  check_error(ErrorKind::failed, "cannot be written",
              [&] { web::self_signed_certificate({}, folder.path / "texcast/web.pem"); });
}

TEST_CASE("a connection that begins no TLS is closed after a while") {
  const TemporaryFolder folder;
  auto quick = with_certificate(web::self_signed_certificate({}, folder.path));
  quick.limits.request = std::chrono::milliseconds(50);
  web::Server server(quick);
  CHECK(WebClient(server.port()).read_reply().status == 0);
  WebClient half(server.port());
  half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  CHECK(half.read_reply().status == 0);
}

TEST_CASE("wrong certificates and keys are refused in one line") {
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return (folder.path / name).string(); };
  output_of("cd '" + folder.path.string() +
            "' && openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=a -addext "
            "subjectAltName=DNS:a.example.org,DNS:*.b.example.org -keyout a.key "
            "-out a.pem 2>&1 && openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out b.key 2>&1 && "
            "openssl pkey "
            "-aes128 -passout pass:word -in b.key -out locked.key 2>&1");
  write(file("text"), "hello");
  const auto refused = [&](const char* certificate, const char* key, const std::string& words) {
    check_error(ErrorKind::input, words, [&] { web::Server server(with_certificate({file(certificate), file(key)})); });
  };
  refused("absent.pem", "a.key", "cannot read the certificate '" + file("absent.pem") + "': No such file");
  refused("a.pem", "absent.key", "cannot read the key '" + file("absent.key") + "': No such file");
  refused("text", "a.key", "contains no certificate");
  refused("a.pem", "text", "contains no private key");
  refused("a.pem", "locked.key", "has a passphrase; remove it");
  refused("a.pem", "b.key", "does not belong to the certificate");
  const web::Server server(with_certificate({file("a.pem"), file("a.key")}));
  CHECK(web::check_certificate({file("a.pem"), file("a.key")}).names ==
        std::vector<std::string>{"a.example.org", "*.b.example.org"});
}
