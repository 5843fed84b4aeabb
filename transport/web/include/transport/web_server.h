// web_server.h — serves a page and streams to browsers: HTTP for the page's files, a WebSocket for the datagrams of
// streams and the feedback of viewers. Knows neither textures nor senders. docs/web.md has the protocol.
//
// Example:
//     web::Server server({.port = 8080, .name = "Studio", .page = page_files()});
//     const auto stream = server.add({.name = "bc1", .families = {"s3tc"}, .format = "bc1"});
//     for (const std::string& url : server.urls()) log_info("open {}", url);
//     stream->send(web::Channel::picture, packets);
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/web_stream.h"

namespace texcast::web {

// A file of the page.
struct File {
  std::string path;  // "/", "/main.js"
  std::string type;  // "text/html; charset=utf-8"
  Bytes gzip;        // its content, compressed by gzip; must outlive the server
};

// Viewers that are let in. Without a password and links: everybody with a private address (RFC 1918, loopback,
// link-local, ULA).
struct Access {
  std::string password{};  // empty: none. Viewers type it in the page.
  int links = 0;           // number of one-time links to make, 0 to 1000; each lets in one viewer
};

// Limits that protect the server and its viewers. The defaults suit all uses; tests make them small.
struct Limits {
  std::chrono::milliseconds hello{10'000};     // from the connection to the viewer's first message
  std::chrono::milliseconds request{10'000};   // from the connection to a complete HTTP request
  std::chrono::milliseconds download{20'000};  // without progress while a file is sent
  std::chrono::milliseconds idle{5'000};       // of an HTTP connection between requests
  std::chrono::milliseconds stalled{10'000};   // while bytes wait for a viewer and its connection takes none
  std::chrono::milliseconds closing{3'000};    // for a viewer to answer that its connection is closed
  int most_strangers = 128;                    // connections that are no viewers (yet): pages and handshakes
  int most_strangers_per_address = 32;         // of these, from one address (IPv6: one /64)
  size_t least_queue_bytes = 256 << 10;        // a viewer may always have so much waiting …
  size_t most_queue_bytes = 64 << 20;          // … and never more than this; between them two frames decide
  int feedback_per_second = 1000;              // messages of a viewer that are taken; a long flood of more ends it
  int wrong_words_at_once = 5;                 // wrong passwords from one address before it has to wait
  std::chrono::seconds wrong_word_every{10};   // afterwards, one more in this time
};

struct ServerSettings {
  std::string address{};         // "" (any), "0.0.0.0", "192.0.2.1", "[::1]" or a name of this machine
  uint16_t port = 8080;          // 0: a free one
  std::string name{};            // shown as the page's title
  std::span<const File> page{};  // must outlive the server
  Access access{};
  int most_viewers = 64;             // 1 to 10000
  std::string certificate{}, key{};  // PEM files; both empty: plain HTTP
  // Further names of this machine under which pages may be opened, such as "video.example.org". IP addresses, the
  // machine's own names and those in the certificate always may (docs/web.md says why others may not).
  std::vector<std::string> names{};
  Limits limits{};
};

struct ViewerStatus {
  ViewerId id = 0;
  std::string address;                                // "192.0.2.1:50000"
  std::string stream;                                 // name of the stream that it watches; empty: it waits for one
  uint64_t sent_datagrams = 0, sent_bytes = 0;        // accepted by its connection
  uint64_t dropped_datagrams = 0, dropped_bytes = 0;  // lost because its connection was not fast enough
  uint64_t feedback_datagrams = 0, refused_feedback = 0;
  size_t queued_bytes = 0;  // that wait here or in the kernel, and are not on their way yet
  SteadyTime since{};
};

class ServerCore;

// All members but the constructor and destructor may be called on any thread. Streams may outlive the server; then they
// have no viewers.
class Server {
 public:
  // Listens when it returns. Throws Error{network} if the address cannot be used, Error{usage} for settings out of
  // range, Error{input} if certificate or key are unusable, Error{failed} if libwebsockets fails or is missing.
  explicit Server(const ServerSettings& settings);
  // Tells viewers that the stream has ended, and waits for that at most a second.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Ends as the destructor does, for programs that end before it. Nobody watches afterwards.
  void end();

  // Adds a stream. A viewer gets the first one in this order whose families its GPU takes, or the one that it asks for.
  // Viewers that wait get it at once. Throws Error{misuse} if a stream of that name exists.
  std::shared_ptr<Stream> add(const StreamOffer& offer);

  uint16_t port() const;
  // "http://192.168.1.20:8080/": addresses to open in a browser, the most useful first.
  std::vector<std::string> urls() const;
  // The one-time links that have not been used yet, with the first of urls(): "http://192.168.1.20:8080/#link=TOKEN".
  std::vector<std::string> links() const;
  std::vector<ViewerStatus> viewers() const;

 private:
  std::shared_ptr<ServerCore> core_;
};

}  // namespace texcast::web
