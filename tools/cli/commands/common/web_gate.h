// web_gate.h — the servers for browsers of `send` and `serve`, as their options describe them: opens web://… addresses,
// and says on the terminal how to watch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "live/web_viewers.h"
#include "texcast/format.h"
#include "text/json_text.h"
#include "transport/web_server.h"

namespace texcast::cli {

inline constexpr uint16_t kWebPort = 8080;

// "web://", "web://:8080", "web://[::1]:8080", "web://studio/"; port 0 is a free one.
struct WebAddress {
  std::string host;  // empty: all addresses of this machine; IPv6 in brackets
  uint16_t port = kWebPort;
  bool operator==(const WebAddress&) const = default;
};
WebAddress parse_web_address(const std::string& url);  // throws Error{usage}

// The title of the page: the announced name, or the host's.
std::string page_title(const NameOptions& names);
// A stream of this format, as viewers see it.
web::StreamOffer offer_of(TextureFormat format, bool has_sound, bool is_sealed);

// All members may be called from any thread.
class WebGate {
 public:
  // `title`: of the page. `is_sealed`: the streams are encrypted on their way to other receivers. Throws Error{input}
  // if the password cannot be read.
  WebGate(const WebOptions& options, std::string title, bool is_sealed);

  // Listens at such an address, until the server is destroyed. Throws Error{usage} if the program was built without the
  // page, or if a sealed stream would leave this machine unencrypted, and what web::Server throws.
  std::shared_ptr<web::Server> listen(const std::string& url);
  // The same with one stream, at the end of which the server ends.
  stream::WebDestination open(const std::string& url, const web::StreamOffer& offer);
  // Adds a stream to all servers that listen. They may end before it.
  std::vector<stream::WebDestination> add(const web::StreamOffer& offer);
  // Streams that are opened later have this offer, and those that are open change to it.
  void change(const web::StreamOffer& offer);

  // Ends the servers of open(), which tells their viewers that the stream is over. Waits for each at most a second.
  void close();

  // For all servers that listen: prints the addresses to open and the one-time links, warns of viewers without a
  // password, and on a terminal shows a QR code if there is room for it.
  void invite() const;
  bool is_open() const { return !servers().empty(); }  // a server listens
  // Those of all servers that listen, for reports.
  std::vector<web::ViewerStatus> viewers() const;

 private:
  struct Opened;
  std::vector<std::shared_ptr<web::Server>> servers() const;

  const WebOptions options_;
  const std::string title_;
  const bool is_sealed_;
  std::string password_;
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<web::Server>> servers_;  // with mutex_
  std::vector<std::weak_ptr<Opened>> opened_;        // with mutex_
};

// For report and statistics: what each viewer got, and what its connection was too slow for.
Json viewers_json(const std::vector<web::ViewerStatus>& viewers);
void print_viewers(const std::vector<web::ViewerStatus>& viewers);

}  // namespace texcast::cli
