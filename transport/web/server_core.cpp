#include "server_core.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/log.h"
#include "base/misuse.h"
#include "texcast/error.h"
#include "transport/address.h"
#include "transport/web_certificate.h"

namespace texcast::web {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostPostedBytes = 64 << 20;
constexpr auto kTick = 250ms;
constexpr auto kGoodbye = 700ms;
constexpr unsigned kMostHeaderBytes = 8192;  // of a request
constexpr size_t kFileChunk = 32 << 10;
// libwebsockets' own traffic on idle connections: finds browsers that disappeared, and keeps NATs open.
constexpr lws_retry_bo_t kPings = {.retry_ms_table = nullptr,
                                   .retry_ms_table_count = 0,
                                   .conceal_count = 0,
                                   .secs_since_valid_ping = 15,
                                   .secs_since_valid_hangup = 30,
                                   .jitter_percent = 0};

void on_lws_log(int /*level*/, const char* line) {
  std::string_view text = line;
  while (text.ends_with('\n')) text.remove_suffix(1);
  log_debug("libwebsockets: {}", text);
}

std::string header_of(lws* wsi, lws_token_indexes token) {
  const int length = lws_hdr_total_length(wsi, token);
  if (length <= 0) return "";
  std::string text(static_cast<size_t>(length) + 8, '\0');  // parts are joined by commas
  const int copied = lws_hdr_copy(wsi, text.data(), static_cast<int>(text.size()), token);
  text.resize(static_cast<size_t>(std::max(copied, 0)));
  return text;
}

Request request_of(lws* wsi) {
  Request request{.is_get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0,
                  .is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0,
                  .path = {},
                  .host = header_of(wsi, WSI_TOKEN_HOST),
                  .none_match = header_of(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH),
                  .accept_encoding = header_of(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING),
                  .has_accept_encoding = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING) > 0};
  request.path = header_of(wsi, request.is_head ? WSI_TOKEN_HEAD_URI : WSI_TOKEN_GET_URI);
  return request;
}

bool write_http(lws* wsi, std::string_view text, lws_write_protocol kind) {
  std::vector<unsigned char> bytes(LWS_PRE + text.size());
  std::ranges::copy(text, bytes.begin() + LWS_PRE);
  return lws_write(wsi, bytes.data() + LWS_PRE, text.size(), kind) >= 0;
}

bool write_reply(lws* wsi, const Reply& reply) {
  return write_http(wsi, reply.head + reply.text, LWS_WRITE_HTTP_HEADERS);
}

ServerSettings checked(ServerSettings settings) {
  if (settings.most_viewers < 1 || settings.most_viewers > 10'000)
    throw Error(ErrorKind::usage, fmt::format("invalid number of viewers {}; give 1 to 10000", settings.most_viewers));
  if (settings.certificate.empty() != settings.key.empty())
    throw Error(ErrorKind::usage, "HTTPS needs both a certificate and its key");
  if (settings.access.links < 0 || settings.access.links > 1000)
    throw Error(ErrorKind::usage, fmt::format("invalid number of links {}; give 0 to 1000", settings.access.links));
  return settings;
}

// One is needed for each connection; a hundred more for the rest of the program.
void warn_of_few_descriptors(int connections) {
  rlimit limit{};
  const rlim_t needed = static_cast<rlim_t>(connections) + 100;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < needed)
    log_warning("this process may open only {} files, which is too few for all viewers: ulimit -n {}", limit.rlim_cur,
                needed);
}

std::optional<CertificateFacts> facts_of(const ServerSettings& settings) {
  if (settings.certificate.empty()) return std::nullopt;
  auto facts = check_certificate({.certificate = settings.certificate, .key = settings.key});
  if (facts.expired) log_warning("the certificate '{}' is not valid at this time", settings.certificate);
  return facts;
}

std::vector<std::string> known_names(const ServerSettings& settings, const std::optional<CertificateFacts>& facts) {
  std::vector<std::string> names = machine_names();
  if (facts) names.insert(names.end(), facts->names.begin(), facts->names.end());
  names.insert(names.end(), settings.names.begin(), settings.names.end());
  if (!settings.address.empty()) names.push_back(settings.address);
  return names;
}

}  // namespace

ServerCore::ServerCore(const ServerSettings& settings)
    : settings_(checked(settings)),
      certificate_(facts_of(settings)),
      listener_(settings.address, settings.port),
      page_(settings.page, HostNames(known_names(settings, certificate_)), !settings.certificate.empty()),
      access_(settings.access, settings.limits) {
  warn_of_few_descriptors(settings_.most_viewers + settings_.limits.most_strangers);
  make_context();
  thread_.emplace([this](const std::stop_token&) { work(); });
}

ServerCore::~ServerCore() { stop(); }

void ServerCore::make_context() {
  lws_set_log_level(LLL_ERR | LLL_WARN | LLL_NOTICE, on_lws_log);
  static constexpr std::array<lws_protocols, 2> kProtocols = {{
      // tx_packet_size: otherwise libwebsockets copies what exceeds rx_buffer_size
      {.name = "texcast.1",
       .callback = on_callback,
       .per_session_data_size = 0,
       .rx_buffer_size = 4096,
       .id = 0,
       .user = nullptr,
       .tx_packet_size = 128 << 10},
      {},
  }};
  lws_context_creation_info info{};
  info.port = CONTEXT_PORT_NO_LISTEN_SERVER;  // the sockets come from the Listener
  info.protocols = kProtocols.data();
  info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8;
  info.user = this;
  info.gid = static_cast<gid_t>(-1);
  info.uid = static_cast<uid_t>(-1);
  info.fd_limit_per_thread = static_cast<unsigned>(settings_.most_viewers + settings_.limits.most_strangers + 16);
  info.max_http_header_data = kMostHeaderBytes;
  info.max_http_header_pool = static_cast<short>(settings_.limits.most_strangers + 16);
  info.timeout_secs = 20;
  info.keepalive_timeout = 10;
  info.retry_and_idle_policy = &kPings;
  info.vhost_name = "texcast";
  if (certificate_) {
    info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.ssl_cert_filepath = settings_.certificate.c_str();
    info.ssl_private_key_filepath = settings_.key.c_str();
    info.ssl_options_set = SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
    info.alpn = "http/1.1";
  }
  // lws_create_context() ignores SIGPIPE in the whole program, which has its own opinion about that.
  struct sigaction pipe {};
  sigaction(SIGPIPE, nullptr, &pipe);
  context_.reset(lws_create_context(&info));
  sigaction(SIGPIPE, &pipe, nullptr);
  if (!context_)
    throw Error(ErrorKind::failed, "cannot serve browsers: libwebsockets cannot be started (--verbose says why)");
  host_ = lws_create_vhost(context_.get(), &info);
  if (host_ == nullptr)
    throw Error(ErrorKind::failed, "cannot serve browsers: libwebsockets makes no virtual host (--verbose says why)");
  lws_adopt_desc_t adopt{};
  adopt.vh = host_;
  adopt.type = LWS_ADOPT_RAW_FILE_DESC;
  adopt.fd.filefd = fcntl(listener_.fd(), F_DUPFD_CLOEXEC, 0);  // libwebsockets closes its own
  if (adopt.fd.filefd < 0 || lws_adopt_descriptor_vhost_via_info(&adopt) == nullptr)
    throw Error(ErrorKind::failed, "cannot serve browsers: libwebsockets does not take the listening socket");
}

void ServerCore::work() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);  // of TLS connections that ended
  tick_.core = this;
  while (!stopping_ || (!connections_.empty() && steady_now() < stop_by_))
    if (lws_service(context_.get(), 0) < 0) break;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    posted_.clear();
  }
  context_.reset();
  connections_.clear();
  listener_.close();
}

void ServerCore::stop() {
  const std::lock_guard lock(stop_mutex_);
  if (!thread_) return;
  run([this] {
    stopping_ = true;
    stop_by_ = steady_now() + kGoodbye;
    for (const auto& [key, connection] : connections_) {
      if (connection->viewer == 0)
        kill(*connection);
      else
        refuse(*connection, Refusal::ended, "The stream has ended.");
    }
    schedule_tick();
  });
  thread_->stop();
  thread_.reset();
}

void ServerCore::post(Posted posted) {
  size_t bytes = 0;
  for (const SharedMessage& message : posted.messages) bytes += message->size();
  std::optional<std::string> complaint;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    if (bytes == 0 || posted_bytes_ + bytes <= kMostPostedBytes) return enqueue(std::move(posted), bytes);
    complaint = overflows_.take("the web server gets too little processor time, and loses datagrams", steady_now());
  }
  if (complaint) log_warning("{}", *complaint);
}

// mutex_ is held.
void ServerCore::enqueue(Posted posted, size_t bytes) {
  posted_bytes_ += bytes;
  posted_.push_back(std::move(posted));
  // The context is alive, as closed_ is not set. This only writes to an eventfd.
  if (!std::exchange(woken_, true)) lws_cancel_service(context_.get());
}

void ServerCore::run(std::function<void()> command) { post({.command = std::move(command)}); }

void ServerCore::send(const std::shared_ptr<StreamState>& stream, ViewerId viewer,
                      std::vector<SharedMessage> messages) {
  post({.stream = stream, .viewer = viewer, .messages = std::move(messages), .command = {}});
}

void ServerCore::take_posted() {
  std::vector<Posted> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(posted_);
    posted_bytes_ = 0;
    woken_ = false;
  }
  const SteadyTime now = steady_now();
  for (Posted& one : taken) {
    if (one.command)
      one.command();
    else
      deliver(*one.stream, one.viewer, one.messages, now);
  }
}

int ServerCore::on_callback(lws* wsi, lws_callback_reasons reason, void* /*user*/, void* in, size_t length) noexcept {
  auto* core = static_cast<ServerCore*>(lws_context_user(lws_get_context(wsi)));
  try {
    return core->on_event(wsi, reason, in, length);
  } catch (const std::exception& error) {  // no memory
    log_debug("a browser's connection is closed: {}", error.what());
    return -1;
  }
}

int ServerCore::on_event(lws* wsi, lws_callback_reasons reason, const void* in, size_t length) {
  if (reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED) {
    take_posted();
    return 0;
  }
  if (reason == LWS_CALLBACK_RAW_RX_FILE) {
    accept_all();
    return 0;
  }
  const auto found = connections_.find(lws_get_opaque_user_data(wsi));
  if (found == connections_.end()) return 0;
  Connection& connection = *found->second;
  switch (reason) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return on_confirm_upgrade(connection, static_cast<const char*>(in));
    case LWS_CALLBACK_HTTP: return on_request(connection);
    case LWS_CALLBACK_HTTP_WRITEABLE: return on_file_writable(connection);
    case LWS_CALLBACK_ESTABLISHED: connection.deadline = steady_now() + settings_.limits.hello; return 0;
    case LWS_CALLBACK_RECEIVE: return on_received(connection, {static_cast<const std::byte*>(in), length});
    case LWS_CALLBACK_SERVER_WRITEABLE: return on_writable(connection);
    case LWS_CALLBACK_CLOSED: leave(connection); return 0;
    case LWS_CALLBACK_WSI_DESTROY: on_destroyed(connection); return 0;
    // Bytes that are not HTTP, and the method CONNECT.
    case LWS_CALLBACK_RAW_ADOPT:
    case LWS_CALLBACK_RAW_RX: return -1;
    default: return 0;
  }
}

bool ServerCore::may_connect(const transport::PeerAddress& from) const {
  if (stopping_ || strangers_ >= settings_.limits.most_strangers) return false;
  const auto found = strangers_of_.find(group_of(from));
  return found == strangers_of_.end() || found->second < settings_.limits.most_strangers_per_address;
}

void ServerCore::count_stranger(const Connection& connection, int change) {
  strangers_ += change;
  const auto place = strangers_of_.try_emplace(group_of(connection.from), 0).first;
  place->second += change;
  if (place->second == 0) strangers_of_.erase(place);
}

void ServerCore::accept_all() {
  while (auto accepted = listener_.accept()) {
    if (!may_connect(accepted->from)) {
      reset_at_close(accepted->socket.get());
      continue;
    }
    const Limits& limits = settings_.limits;
    set_options(accepted->socket.get(), static_cast<int>(limits.stalled.count()));
    auto made = std::make_unique<Connection>(Connection{.socket = accepted->socket.get(),
                                                        .from = accepted->from,
                                                        .deadline = steady_now() + limits.request,
                                                        .rate = RateLimit(limits.feedback_per_second)});
    Connection* connection = made.get();
    connections_.emplace(connection, std::move(made));
    count_stranger(*connection, 1);
    lws_adopt_desc_t adopt{};
    adopt.vh = host_;
    adopt.type = static_cast<lws_adoption_type>(LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP | LWS_ADOPT_ALLOW_SSL);
    adopt.fd.sockfd = accepted->socket.release();  // closed by libwebsockets, also if it fails
    adopt.opaque = connection;
    lws* wsi = lws_adopt_descriptor_vhost_via_info(&adopt);
    const auto found = connections_.find(connection);
    if (found == connections_.end()) continue;
    if (wsi != nullptr)
      connection->wsi = wsi;
    else
      on_destroyed(*connection);
  }
  schedule_tick();
}

void ServerCore::on_destroyed(Connection& connection) {
  leave(connection);
  count_stranger(connection, -1);
  connections_.erase(&connection);
}

// Returns 0 to go on, a positive number if the reply is written, a negative one to close.
int ServerCore::on_confirm_upgrade(Connection& connection, std::string_view protocol) {
  if (!same_word(protocol, "websocket")) return -1;  // such as HTTP/2 without TLS
  const std::string wrong =
      page_.handshake_error(request_of(connection.wsi), header_of(connection.wsi, WSI_TOKEN_ORIGIN),
                            header_of(connection.wsi, WSI_TOKEN_PROTOCOL));
  if (wrong.empty()) return 0;
  return write_reply(connection.wsi, page_.error(403, wrong, true)) ? 1 : -1;
}

int ServerCore::on_request(Connection& connection) {
  const Reply reply = page_.reply(request_of(connection.wsi));
  if (!write_reply(connection.wsi, reply) || reply.close) return -1;
  connection.file = reply.file;
  if (connection.file.empty()) {
    connection.deadline = steady_now() + settings_.limits.idle;
    return lws_http_transaction_completed(connection.wsi) != 0 ? -1 : 0;
  }
  connection.deadline = steady_now() + settings_.limits.download;
  lws_callback_on_writable(connection.wsi);
  return 0;
}

int ServerCore::on_file_writable(Connection& connection) {
  if (connection.file.empty()) return 0;
  const Bytes chunk = connection.file.first(std::min(kFileChunk, connection.file.size()));
  connection.file = connection.file.subspan(chunk.size());
  const bool last = connection.file.empty();
  if (!write_http(connection.wsi, {reinterpret_cast<const char*>(chunk.data()), chunk.size()},
                  last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP))
    return -1;
  connection.deadline = steady_now() + (last ? settings_.limits.idle : settings_.limits.download);
  if (last) return lws_http_transaction_completed(connection.wsi) != 0 ? -1 : 0;
  lws_set_timeout(connection.wsi, PENDING_TIMEOUT_HTTP_CONTENT,
                  static_cast<int>(settings_.limits.download.count() / 1000 + 1));
  lws_callback_on_writable(connection.wsi);
  return 0;
}

void ServerCore::kill(Connection& connection) {
  connection.deadline = SteadyTime::max();
  lws_set_timeout(connection.wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

void ServerCore::schedule_tick() {
  if (ticking_ || connections_.empty()) return;
  ticking_ = true;
  lws_sul_schedule(
      context_.get(), 0, &tick_.timer,
      [](lws_sorted_usec_list_t* timer) { reinterpret_cast<Tick*>(timer)->core->tick(); },
      std::chrono::microseconds(stopping_ ? kTick / 10 : kTick).count());
}

void ServerCore::tick() {
  ticking_ = false;
  const SteadyTime now = steady_now();
  for (const auto& [key, connection] : connections_) {
    if (connection->wsi == nullptr) continue;
    const bool stalled = !connection->queue.empty() && now - connection->progress >= settings_.limits.stalled;
    if (stalled) log_debug("the viewer {} takes nothing any more, and is sent away", to_text(connection->from));
    const bool late = now >= connection->deadline;
    if (stalled || (late && !connection->file.empty()))
      reset_at_close(connection->socket);  // frees the kernel's memory
    if (stalled || late) kill(*connection);
    if (connection->figures)
      connection->figures->queued_bytes = connection->queue.bytes() + unsent_bytes(connection->socket);
  }
  schedule_tick();
}

}  // namespace texcast::web
