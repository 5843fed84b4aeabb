#include "transport/web_server.h"

#include <fmt/core.h>

#include <utility>

#include "server_core.h"
#include "server_urls.h"

namespace texcast::web {
namespace {

// A stream for its owner. The server's part lives on while viewers' messages refer to it.
class ServedStream : public Stream {
 public:
  ServedStream(std::shared_ptr<ServerCore> core, std::shared_ptr<StreamState> state)
      : core_(std::move(core)), state_(std::move(state)) {}
  ~ServedStream() override {
    ServedStream::on_feedback({});
    ServedStream::end("");
  }
  ServedStream(const ServedStream&) = delete;
  ServedStream& operator=(const ServedStream&) = delete;

  void send(Channel channel, std::span<const transport::OutgoingPacket> packets) override {
    if (state_->viewers != 0) core_->send(state_, 0, datagram_messages(channel, packets));
  }
  void send_to(ViewerId viewer, Channel channel, std::span<const transport::OutgoingPacket> packets) override {
    if (state_->viewers != 0 && viewer != 0) core_->send(state_, viewer, datagram_messages(channel, packets));
  }
  size_t viewers() const override { return state_->viewers; }
  void change(const StreamOffer& offer) override {
    core_->run([core = core_.get(), state = state_, offer] { core->change(*state, offer); });
  }
  void on_feedback(std::function<void()> wake) override { state_->feedback.on_feedback(std::move(wake)); }
  void take_feedback(const OnFeedback& sink) override { state_->feedback.take(sink); }
  void end(std::string_view message) override {
    core_->run([core = core_.get(), state = state_, text = std::string(message)] { core->end(*state, text); });
  }

 private:
  const std::shared_ptr<ServerCore> core_;
  const std::shared_ptr<StreamState> state_;
};

}  // namespace

Server::Server(const ServerSettings& settings) : core_(std::make_shared<ServerCore>(settings)) {}
Server::~Server() { end(); }

void Server::end() { core_->stop(); }

std::shared_ptr<Stream> Server::add(const StreamOffer& offer) {
  return std::make_shared<ServedStream>(core_, core_->add(offer));
}

uint16_t Server::port() const { return core_->listener().port(); }

std::vector<std::string> Server::urls() const {
  const auto& certificate = core_->certificate();
  // Names of a self-signed certificate are this machine's, which other machines may not know.
  const bool has_names = certificate && !certificate->self_signed;
  return server_urls(core_->listener().bound(), port(), certificate.has_value(),
                     has_names ? certificate->names : std::vector<std::string>());
}

std::vector<std::string> Server::links() const {
  std::vector<std::string> links;
  const std::string url = urls().front();
  for (const std::string& token : core_->access().unused_links())
    links.push_back(fmt::format("{}#link={}", url, token));
  return links;
}

std::vector<ViewerStatus> Server::viewers() const { return core_->viewers(); }

}  // namespace texcast::web
