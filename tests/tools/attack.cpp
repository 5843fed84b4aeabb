// attack.cpp — a program, by hand: the built texcast receives or plays a genuine stream while fourteen kinds of forged
// packets come at its port, at the port after it (RTCP) and at the sender. Loopback only, bounded in time.
//
//   attack PROGRAM [receive|play] [plain|sealed] [--seconds N] [--rate N] [--seed N] [--from ADDRESS] [--kind NAME]
//
// --seconds 10, --rate 20000 forged packets a second (0: none, for comparison), --from 127.0.0.2 (127.0.0.1: the
// sender's own host, another port; ::1), --kind all. The stream is 256x128 BC1 at 30 frames a second, made by the
// transport itself, so that no device is needed. What the program recorded is read again, and each of its blocks says
// whether the sender made it. One line: frames sent, shown whole, patched, forged, lost; memory of the program in MiB
// when the attack began, its most, and at the end; forged packets sent; packets sent again for requests.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "../temporary_folder.h"
#include "../transport/forger.h"
#include "media/clip_reader.h"
#include "transport/key_file.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr int kWidth = 256, kHeight = 128, kFps = 30;
constexpr size_t kBlocks = size_t{kWidth} * kHeight / 16;

struct Task {
  std::string program, command = "receive", from = "127.0.0.2", kind = "all";
  bool sealed = false;
  int seconds = 10, rate = 20'000;
  uint32_t seed = 1;
};

Task task_of(int argc, char** argv) {
  Task task;
  if (argc < 2) {
    fmt::print(stderr, "attack PROGRAM [receive|play] [plain|sealed] [--seconds N] [--rate N] [--seed N] [--from A]\n");
    std::exit(2);
  }
  task.program = std::filesystem::absolute(argv[1]).string();
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "receive" || word == "play") {
      task.command = word;
    } else if (word == "plain" || word == "sealed") {
      task.sealed = word == "sealed";
    } else if (i + 1 < argc) {
      const std::string value = argv[++i];
      if (word == "--seconds") task.seconds = std::stoi(value);
      if (word == "--rate") task.rate = std::stoi(value);
      if (word == "--seed") task.seed = static_cast<uint32_t>(std::stoul(value));
      if (word == "--from") task.from = value;
      if (word == "--kind") task.kind = value;
    }
  }
  return task;
}

// ---- the program under attack ----

class Program {
 public:
  Program(const Task& task, const std::string& folder, uint16_t port) {
    std::vector<std::string> words{task.program, task.command, "rtp://:" + std::to_string(port)};
    if (task.command == "receive") words.push_back(folder + "/show.mov");
    if (task.command == "play")
      for (const char* word : {"--offscreen", "--record"}) words.push_back(word);
    if (task.command == "play") words.push_back(folder + "/show.mov");
    for (const char* word : {"--timeout", "3", "--json"}) words.push_back(word);
    if (task.sealed)
      for (const std::string& word : {std::string("--key-file"), folder + "/key"}) words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string out = folder + "/out.json", log = folder + "/log";
    child_ = ::fork();
    if (child_ != 0) return;
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~Program() { wait(std::chrono::seconds(0)); }
  // A line of /proc/PID/status, MiB.
  double memory(const std::string& name) const {
    std::ifstream status("/proc/" + std::to_string(child_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / 1024;
    return 0;
  }
  // Its exit code; ends it where it takes longer.
  int wait(nanoseconds limit) {
    const SteadyTime end = steady_now() + limit;
    int status = 0;
    while (child_ > 0 && ::waitpid(child_, &status, WNOHANG) == 0) {
      if (steady_now() >= end)
        ::kill(child_, limit > nanoseconds{} && steady_now() < end + std::chrono::seconds(5) ? SIGTERM : SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_ = -1;
};

// ---- what leaves the genuine sender, for the forger to overhear ----

class Ether {
 public:
  void put(Bytes datagram) {
    const std::lock_guard lock(mutex_);
    if (packets_.size() < 1000) packets_.emplace_back(datagram.begin(), datagram.end());
  }
  void hear(Forger& forger) {
    const std::lock_guard lock(mutex_);
    for (const Datagram& packet : packets_) forger.overhear(packet);
    packets_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Datagram> packets_;
};

class Genuine {
 public:
  Genuine(const Task& task, const PacketizerSettings& settings, const std::shared_ptr<const WireKeys>& keys,
          uint16_t port, Ether& ether)
      : marked_(task.seed * 7919, kBlocks),
        address_(resolve_address("rtp://127.0.0.1:" + std::to_string(port), false)),
        sender_({.destinations = {&address_, 1}, .control = true}),
        ether_(ether) {
    const WireChoice wire{.fec = parse_fec("auto").value(),
                          .crypto = task.sealed ? CryptoChoice::texcast : CryptoChoice::none,
                          .keys = keys,
                          .answers_requests = true};
    packetizer_ = make_packetizer(settings, wire);
    store_ = make_retransmit_store(settings, wire, 1);
  }
  // Packets spread over three quarters of the frame time, as texcast does it; requests are answered between them.
  void run(const std::atomic<bool>& stop) {
    constexpr nanoseconds kFrameTime = nanoseconds(1'000'000'000) / kFps;
    SteadyTime due = steady_now();
    while (!stop) {
      const auto frame = marked_.frame(frames++);
      FrameTimes times = pts_only(kFrameTime * frames.load());
      times.available = times.encoded = times.sent = wall_now();
      const auto packets = packetizer_->packetize(frame, times);
      if (const auto number = packetizer_->requestable_frame()) store_->begin_frame(*number, steady_now());
      store_->keep(packets);
      for (size_t i = 0; i < packets.size(); ++i) {
        sender_.send(packets.subspan(i, 1));
        ether_.put(join(packets[i]));
        answer_until(due + kFrameTime * static_cast<int64_t>(3 * i) / static_cast<int64_t>(4 * packets.size()));
      }
      due = std::max(due + kFrameTime, steady_now() - kFrameTime);
      answer_until(due);
    }
  }
  const MarkedFrames& marked() const { return marked_; }
  std::atomic<uint32_t> frames = 0;
  std::atomic<uint64_t> again = 0;

 private:
  void answer_until(SteadyTime until) {
    do {
      sender_.wait(until, [&](const Feedback& feedback) {
        if (feedback.control) return;
        const auto packets = store_->answer(feedback.destination, feedback.datagram, feedback.arrived);
        if (!packets.empty()) sender_.send_to(feedback.destination, packets);
        again = store_->sent_again();
      });
    } while (steady_now() < until);
  }
  MarkedFrames marked_;
  Address address_;
  UdpSender sender_;
  Ether& ether_;
  std::unique_ptr<FramePacketizer> packetizer_;
  std::unique_ptr<RetransmitStore> store_;
};

// ---- the forger's socket ----

int socket_from(const std::string& address) {
  const bool six = address.find(':') != std::string::npos;
  const int fd = ::socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  const bool known = six ? ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1
                         : ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  const int bound = six ? ::bind(fd, reinterpret_cast<sockaddr*>(&v6), sizeof v6)
                        : ::bind(fd, reinterpret_cast<sockaddr*>(&v4), sizeof v4);
  if (!known || bound != 0) {
    fmt::print(stderr, "attack: cannot send from {}\n", address);
    std::exit(2);
  }
  return fd;
}

void send_to_port(int fd, bool six, uint16_t port, Bytes datagram) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  v6.sin6_addr = in6addr_loopback;
  ::sendto(fd, datagram.data(), datagram.size(), MSG_DONTWAIT,
           six ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4), six ? sizeof v6 : sizeof v4);
}

// The ports that the genuine sender sends from, and so listens on: this process has no other sockets yet.
std::vector<uint16_t> ports_of_sender() {
  std::vector<uint16_t> ports;
  for (int fd = 3; fd < 256; ++fd) {
    sockaddr_in bound{};
    socklen_t length = sizeof bound;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length) == 0 && bound.sin_family == AF_INET)
      ports.push_back(ntohs(bound.sin_port));
  }
  return ports;
}

uint64_t forge(const Task& task, const PacketizerSettings& settings, uint16_t port, Ether& ether,
               const std::atomic<bool>& stop) {
  Forger forger(task.seed, settings);
  std::mt19937 random(task.seed);
  const bool six = task.from.find(':') != std::string::npos;
  const std::vector<uint16_t> back = ports_of_sender();
  const int fd = socket_from(task.from);
  uint64_t sent = 0;
  const SteadyTime begun = steady_now();
  while (!stop) {
    ether.hear(forger);
    const auto due = static_cast<uint64_t>(in_seconds(steady_now() - begun) * task.rate);
    for (int burst = 0; sent < due && burst < 200; ++sent, ++burst) {
      auto kind = static_cast<Forger::Kind>(random() % Forger::kKinds);
      for (size_t i = 0; i < Forger::kKinds; ++i)
        if (task.kind == Forger::kNames[i]) kind = static_cast<Forger::Kind>(i);
      // Requests and reports go to the sender's ports as well.
      const bool control = kind == Forger::Kind::rtcp, answers = control || kind == Forger::Kind::request;
      const auto at_receiver = static_cast<uint16_t>(port + control);
      const bool to_sender = answers && !back.empty() && random() % 2 == 0;
      send_to_port(fd, six, to_sender ? back[random() % back.size()] : at_receiver, forger.make(kind, wall_now()));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  ::close(fd);
  return sent;
}

// ---- what came of it ----

struct Seen {
  uint64_t whole = 0, patched = 0, forged = 0;
};

Seen look_at(const std::string& folder, const MarkedFrames& marked) {
  Seen seen;
  std::set<uint32_t> shown;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mov") continue;
    const auto reader = media::open_clip(entry.path().string());
    const TextureDesc& texture = reader->info().texture;
    const bool ours = texture.width == kWidth && texture.height == kHeight && texture.format == TextureFormat::bc1;
    for (;;) {
      const auto frame = reader->next();
      if (!frame) {
        ++seen.forged;  // a damaged one is none of the sender's
        continue;
      }
      if (!*frame) break;
      if (!ours) {
        ++seen.forged;
        continue;
      }
      const auto verdict = marked.judge((*frame)->texture.blocks);
      if (verdict.forged > 0)
        ++seen.forged;
      else if (verdict.whole() && shown.insert(verdict.number).second)
        ++seen.whole;
      else
        ++seen.patched;
    }
  }
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  const Task task = task_of(argc, argv);
  const texcast::test::TemporaryFolder folder;
  std::shared_ptr<const WireKeys> keys;
  if (task.sealed) {
    std::ofstream(folder.file("key")) << "a passphrase that no forger knows\n";
    ::chmod(folder.file("key").c_str(), 0600);
    keys = load_keys(folder.file("key"));
  }
  const auto port = static_cast<uint16_t>(20'000 + 2 * (static_cast<unsigned>(::getpid()) % 10'000));
  PacketizerSettings settings = small_settings(0x0BADCAFE + task.seed);
  settings.mtu = 1500;
  settings.stream.width = kWidth;
  settings.stream.height = kHeight;
  settings.stream.fps = kFps;

  Program program(task, folder.path.string(), port);
  std::this_thread::sleep_for(std::chrono::seconds(2));  // it listens by then
  Ether ether;
  Genuine genuine(task, settings, keys, port, ether);
  std::atomic<bool> sender_stops = false, forger_stops = false;
  std::thread sender([&] { genuine.run(sender_stops); });
  std::this_thread::sleep_for(std::chrono::seconds(2));  // shown, and memory is what it will be
  const double at_start = program.memory("VmRSS");
  uint64_t forged = 0;
  std::thread forger([&] {
    if (task.rate > 0) forged = forge(task, settings, port, ether, forger_stops);
  });
  std::this_thread::sleep_for(std::chrono::seconds(task.seconds));
  forger_stops = true;
  forger.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const double at_end = program.memory("VmRSS"), most = program.memory("VmHWM");
  sender_stops = true;
  sender.join();
  const int exit_code = program.wait(std::chrono::seconds(20));

  const Seen seen = look_at(folder.path.string(), genuine.marked());
  const uint64_t sent = genuine.frames;
  fmt::print(
      "{:<8}{:<7} from {:<10} {:>6} s: sent {:>5}, whole {:>5}, patched {:>3}, forged {:>3}, lost {:>3}; memory "
      "{:.0f}, most "
      "{:.0f}, end {:.0f} MiB; {} forged packets; {} sent again; exit {}\n",
      task.command, task.sealed ? "sealed" : "plain", task.from, task.seconds, sent, seen.whole, seen.patched,
      seen.forged, sent - std::min<uint64_t>(sent, seen.whole + seen.patched), at_start, most, at_end, forged,
      genuine.again.load(), exit_code);
  std::ifstream log(folder.file("log")), json(folder.file("out.json"));
  for (std::string line; std::getline(log, line);) fmt::print("    {}\n", line);
  for (std::string line; std::getline(json, line);)
    if (line.find("packets") != std::string::npos || line.find(':') != std::string::npos)
      if (std::getenv("ATTACK_JSON")) fmt::print("    {}\n", line);
  return seen.forged == 0 && exit_code == 0 ? 0 : 1;
}
