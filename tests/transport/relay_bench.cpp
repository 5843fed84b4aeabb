// By hand: relay_bench PROGRAM [WORD=VALUE…]
//   receivers=200 loss=1 (percent) seconds=10 mbit=4 parity=0 (percent) processes=2 (of the receivers)
//   sealed=no|keyless|key   a sealed stream; the relay has no key, or has it
//   restart=none|sender|relay   after half of the time: the sender begins anew, or the relay is killed and started
//   again
//
// Runs `PROGRAM relay` (texcast) with so many receivers on loopback, which other processes simulate (relay_crowd.h).
// The sender is in this process: a coded stream of 60 frames per second. Prints the relay's CPU time and memory, and
// what was repaired. In a network of its own: unshare -n sh -c 'ip link set lo up; relay_bench …'
#include <fmt/core.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "compact_support.h"
#include "relay_crowd.h"
#include "transport/address.h"
#include "transport/retransmit_store.h"
#include "transport/sealing.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr uint16_t kIn = 21'000;  // below the ports that sockets get by themselves, as the receivers' are
constexpr nanoseconds kFrameTime{16'666'667};
constexpr const char* kPassphrase = "relay bench";
constexpr const char* kKeyFile = "/tmp/relay_bench.key";

struct Choices {
  CrowdSettings crowd{};
  double seconds = 10, mbit_per_s = 4, parity_percent = 0;
  size_t processes = 2;
  bool relay_has_key = false;
  enum class Restart { none, sender, relay } restart = Restart::none;
};

pid_t start_relay(const std::string& program, const Choices& choices) {
  std::vector<std::string> words{program, "relay", fmt::format("rtp://127.0.0.1:{}", kIn)};
  for (size_t i = 0; i < choices.crowd.receivers; ++i)
    words.push_back(fmt::format("127.0.0.1:{}", choices.crowd.first_port + 4 * i));
  for (const char* option : {"--no-announce", "--no-audio", "--no-config"}) words.emplace_back(option);
  if (choices.relay_has_key) words.insert(words.end(), {"--key-file", kKeyFile});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::freopen("/dev/null", "w", stderr) == nullptr || ::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  return child;
}

struct Usage {
  double cpu_s = 0;
  double rss_mb = 0;
};
Usage usage_of(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string word;
  Usage usage;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (int i = 1; stat >> word && i <= 24; ++i) {
    if (i == 14 || i == 15) usage.cpu_s += std::stod(word) / ticks;
    if (i == 24) usage.rss_mb = std::stod(word) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
  }
  return usage;
}

// A relay with its CPU time, over the processes that were killed too.
class RelayProcess {
 public:
  RelayProcess(std::string program, const Choices& choices) : program_(std::move(program)), choices_(choices) {
    child_ = start_relay(program_, choices_);
  }
  ~RelayProcess() { end(SIGTERM); }
  void kill_and_start() {
    end(SIGKILL);
    child_ = start_relay(program_, choices_);
  }
  Usage usage() const {
    Usage usage = usage_of(child_);
    usage.cpu_s += earlier_cpu_s_;
    return usage;
  }

 private:
  void end(int signal) {
    earlier_cpu_s_ += usage_of(child_).cpu_s;
    ::kill(child_, signal);
    ::waitpid(child_, nullptr, 0);
  }
  const std::string program_;
  const Choices& choices_;
  pid_t child_ = -1;
  double earlier_cpu_s_ = 0;
};

// Sends a stream in real time.
class Sender {
 public:
  explicit Sender(const Choices& choices)
      : choices_(choices),
        settings_(settings(choices)),
        packetizer_(settings_, {.parity_percent = choices.parity_percent,
                                .answers_requests = true,
                                .sealer = sealer_with(choices.crowd.keys)}),
        store_({.ssrc = settings_.ssrc, .keys = choices.crowd.keys}) {}
  void send_for(double seconds) {
    const int end = frame_ + static_cast<int>(seconds * 60);
    for (SteadyTime start = steady_now(); frame_ < end; ++frame_, start += kFrameTime) send_frame(start);
  }
  uint64_t sent() const { return sent_; }
  uint64_t sent_again() const { return store_.sent_again(); }

 private:
  static PacketizerSettings settings(const Choices& choices) {
    PacketizerSettings settings = compact_settings(std::random_device{}());
    settings.mtu = 1500;
    if (choices.crowd.keys) settings.reserved_bytes = static_cast<int>(kSealOverhead);
    return settings;
  }
  void send_frame(SteadyTime start) {
    const auto count = static_cast<size_t>(std::max(1L, std::lround(choices_.mbit_per_s * 1e6 / 8 / 60 / 1390)));
    Payloads payloads;
    for (size_t k = 0; k < count; ++k)
      payloads.push_back(
          random_bytes(packetizer_.max_payload(), static_cast<uint32_t>(frame_ * 1000) + static_cast<uint32_t>(k)));
    FrameTimes times = pts_only(kFrameTime * frame_);
    times.available = times.encoded = times.sent = wall_now();
    packetizer_.begin(times);
    const auto packets = packetizer_.add(views_of(payloads), static_cast<uint32_t>(payloads.size()));
    store_.begin_frame(packetizer_.buffer_id(), steady_now());
    store_.keep(packets);
    const auto answer = [&](const Feedback& feedback) {
      sender_.send_to(0, store_.answer(0, feedback.datagram, steady_now()));
    };
    constexpr size_t kAtOnce = 8;
    for (size_t at = 0; at < packets.size(); at += kAtOnce) {
      const SteadyTime due = start + kFrameTime * 3 / 4 * static_cast<int>(at) / static_cast<int>(packets.size());
      do sender_.wait(due, answer);  // it returns early for feedback
      while (steady_now() < due);
      sender_.send(packets.subspan(at, std::min(kAtOnce, packets.size() - at)));
    }
    sent_ += packets.size();
  }

  const Choices& choices_;
  const PacketizerSettings settings_;
  CompactPacketizer packetizer_;
  RetransmitStore store_;
  const std::vector<Address> to_{resolve_address(fmt::format("rtp://127.0.0.1:{}", kIn), false)};
  UdpSender sender_{{.destinations = to_}};
  int frame_ = 0;
  uint64_t sent_ = 0;
};

Choices parse(int argc, char** argv) {
  Choices choices;
  std::map<std::string, std::string> words{{"receivers", "200"}, {"loss", "1"},      {"seconds", "10"},
                                           {"mbit", "4"},        {"parity", "0"},    {"processes", "2"},
                                           {"sealed", "no"},     {"restart", "none"}};
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t at = word.find('=');
    if (at == std::string::npos || !words.contains(word.substr(0, at))) {
      fmt::print(
          stderr,
          "relay_bench: {}: give one of receivers loss seconds mbit parity processes sealed restart, = and a value\n",
          word);
      std::exit(2);
    }
    words[word.substr(0, at)] = word.substr(at + 1);
  }
  choices.crowd.receivers = std::stoul(words["receivers"]);
  choices.crowd.loss = std::stod(words["loss"]) / 100;
  choices.seconds = std::stod(words["seconds"]);
  choices.mbit_per_s = std::stod(words["mbit"]);
  choices.parity_percent = std::stod(words["parity"]);
  choices.processes = std::stoul(words["processes"]);
  if (words["sealed"] != "no") choices.crowd.keys = WireKeys::derive(kPassphrase);
  choices.relay_has_key = words["sealed"] == "key";
  if (words["restart"] == "sender") choices.restart = Choices::Restart::sender;
  if (words["restart"] == "relay") choices.restart = Choices::Restart::relay;
  return choices;
}

void raise_limit_of_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "relay_bench PROGRAM [receivers=200] [loss=1] [seconds=10] …: see its source\n");
    return 2;
  }
  const Choices choices = parse(argc, argv);
  raise_limit_of_files();
  std::ofstream(kKeyFile) << kPassphrase << '\n';
  ::chmod(kKeyFile, 0600);
  CrowdProcesses crowd(choices.crowd, choices.processes);
  RelayProcess relay(argv[1], choices);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const Usage before = relay.usage();
  const SteadyTime begun = steady_now();
  auto sender = std::make_unique<Sender>(choices);
  sender->send_for(choices.seconds / 2);
  uint64_t sent = 0, again = 0;
  if (choices.restart == Choices::Restart::sender) {
    sent = sender->sent(), again = sender->sent_again();
    sender = std::make_unique<Sender>(choices);
  }
  if (choices.restart == Choices::Restart::relay) relay.kill_and_start();
  sender->send_for(choices.seconds / 2);
  const double took = in_seconds(steady_now() - begun);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Usage after = relay.usage();
  const CrowdCounts counts = crowd.finish();
  sent += sender->sent(), again += sender->sent_again();
  const auto receivers = static_cast<double>(choices.crowd.receivers);
  fmt::print(
      "{} receivers, {:.0f} % lost, {:.1f} Mbit/s each: {} packets in, {} again by the sender, {:.0f} packets/s out\n",
      choices.crowd.receivers, choices.crowd.loss * 100, choices.mbit_per_s, sent, again,
      static_cast<double>(counts.came) / took);
  fmt::print("relay: {:.2f} CPU s/s, {:.0f} MB; receivers: {:.2f} CPU s/s\n", (after.cpu_s - before.cpu_s) / took,
             after.rss_mb, counts.cpu_s / took);
  fmt::print("receivers: {} of {} packets lost, {} by retransmission and {} by parity repaired ({:.1f} %)\n",
             counts.dropped, counts.came, counts.repaired, counts.restored,
             percent(counts.repaired + counts.restored, counts.dropped));
  fmt::print("{} of {} frames whole ({:.2f} %); without one for {:.2f} s at most, {:.2f} s in the mean\n", counts.whole,
             counts.shown, percent(counts.whole, counts.shown), counts.worst_gap_s, counts.sum_gap_s / receivers);
  return 0;
}
