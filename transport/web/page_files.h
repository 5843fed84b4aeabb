// page_files.h — replies to HTTP requests for the page's files. No I/O.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host_names.h"
#include "transport/web_server.h"

namespace texcast::web {

inline constexpr std::string_view kStreamPath = "/stream";

// The parts of a request that matter. Texts may contain anything.
struct Request {
  bool is_get = false, is_head = false;
  std::string path;        // without the query
  std::string host;        // empty: none was given
  std::string none_match;  // If-None-Match
  std::string accept_encoding;
  bool has_accept_encoding = false;
};

struct Reply {
  int status = 0;
  std::string head;    // up to and with the empty line
  std::string text;    // the body of an error …
  Bytes file;          // … or of a file
  bool close = false;  // the connection is closed afterwards
};

class PageFiles {
 public:
  // `files` must outlive it. `hosts` says which Host headers are accepted.
  PageFiles(std::span<const File> files, HostNames hosts, bool tls);

  Reply reply(const Request& request) const;
  // The reply to a WebSocket handshake that is refused, or nothing if it may go on. `origin` is empty if there was
  // none: then it is no browser, to which same-origin rules would not apply.
  std::string handshake_error(const Request& request, std::string_view origin, std::string_view protocols) const;
  Reply error(int status, std::string_view line, bool close, bool with_body = true) const;

 private:
  struct Entry {
    const File* file;
    std::string etag;
  };
  std::string host_error(const Request& request) const;
  std::string headers(const std::string& host) const;

  std::vector<Entry> entries_;
  const HostNames hosts_;
  const bool tls_;
};

// Whether two words of HTTP are the same; case does not matter.
bool same_word(std::string_view a, std::string_view b);
// Whether an Accept-Encoding header (RFC 9110, section 12.5.3) allows gzip.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace texcast::web
