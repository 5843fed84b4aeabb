// attack.cpp — a program, by hand: the built texcast receives or plays a genuine stream while fourteen kinds of forged
// packets come at its port, at the port after it (RTCP) and at the sender. Loopback only, bounded in time.
//
//   attack PROGRAM [receive|play] [plain|sealed] [--seconds N] [--rate N] [--seed N] [--from ADDRESS] [--kind NAME]
//          [--idle burst|heavy|empty] [--after N]
//
// --idle: instead, a stranger's compact stream of 4096x4096 comes to a receiver to which nobody sends yet, and the
// genuine sender begins when it ends: 1,200 datagrams in a second, each of which tells the whole picture (burst), 29 of
// these a second for --seconds (heavy), or 27 that tell nothing (empty). The genuine stream is then sent for --after 15
// seconds. The line: how long after its beginning it was shown; processor time of the program in the attack, in per
// cent of one; its memory before and at most; files, and MiB of them that are not the sender's; lines of the log.
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
#include "compact/payload.h"
#include "media/clip_reader.h"
#include "rans.h"
#include "tables.h"
#include "transport/compact_packetizer.h"
#include "transport/key_file.h"
#include "transport/udp_socket.h"
#include "unit_syntax.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr int kWidth = 256, kHeight = 128, kFps = 30;
constexpr size_t kBlocks = size_t{kWidth} * kHeight / 16;

struct Task {
  std::string program, command = "receive", from = "127.0.0.2", kind = "all", idle;
  bool sealed = false;
  int seconds = 10, rate = 20'000, after = 15;
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
      if (word == "--idle") task.idle = value;
      if (word == "--after") task.after = std::stoi(value);
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
    const int timeout = task.idle.empty() ? 3 : task.seconds + task.after + 60;
    for (const std::string& word : {std::string("--timeout"), std::to_string(timeout), std::string("--json")})
      words.push_back(word);
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
  // Processor time of all its threads so far.
  double cpu_seconds() const {
    std::ifstream stat("/proc/" + std::to_string(child_) + "/stat");
    std::string word;
    double ticks = 0;
    for (int field = 1; field <= 15 && stat >> word; ++field)
      if (field >= 14) ticks += std::stod(word);  // utime, stime
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  void interrupt() const { ::kill(child_, SIGINT); }
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
  uint64_t files = 0, strange_bytes = 0;
};

Seen look_at(const std::string& folder, const MarkedFrames& marked) {
  Seen seen;
  std::set<uint32_t> shown;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mov") continue;
    ++seen.files;
    const auto reader = media::open_clip(entry.path().string());
    const TextureDesc& texture = reader->info().texture;
    const bool ours = texture.width == kWidth && texture.height == kHeight && texture.format == TextureFormat::bc1;
    if (!ours) seen.strange_bytes += entry.file_size();
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

// ---- a stranger's stream to a receiver that nobody sends to ----

constexpr TextureDesc kLarge{.format = TextureFormat::ycocg_bc4_444, .width = 4096, .height = 4096, .color = {}};

// A unit for a run of tiles whose areas are all copied from the same place in the reference frame: one symbol an area.
std::vector<std::byte> stayed_run(const compact::TileGrid& grid, int tiles) {
  using namespace compact;
  constexpr int kColumns = kTileWidth / kAreaSide, kRows = kTileHeight / kAreaSide;
  std::vector<std::byte> shortest(2000);
  for (int content = 0; content < kContents; ++content) {
    const CodingTables& tables = lossy_tables(static_cast<Content>(content), grid.component(0).tables);
    SymbolList list;
    list.make_room(static_cast<size_t>(2 + tiles * kColumns * kRows));
    list.put(tables, flat_context(4), 0);        // the quantiser
    list.put(tables, flat_context(2), content);  // whose tables
    for (int area = 0; area < tiles * kColumns * kRows; ++area) {
      const int x = area % kColumns, y = area / kColumns % kRows;
      const Area left{.vector = {}, .moved = x > 0}, above{.vector = {}, .moved = y > 0};
      list.put(tables, area_context(left, above), kAreaMoved);
    }
    std::vector<std::byte> memory(2000);
    const size_t bytes = list.write(memory, kSmall);
    if (bytes > 0 && bytes < shortest.size()) shortest.assign(memory.end() - static_cast<long>(bytes), memory.end());
  }
  return shortest;
}

// A frame that codes all tiles of a picture of 4096x4096, or none.
std::vector<std::byte> large_frame(bool tells_all) {
  constexpr size_t kMostBytes = 1390;
  const compact::TileGrid grid(kLarge);
  compact::PayloadWriter writer(grid, kMostBytes);
  std::vector<compact::CodedUnit> units;
  const auto run = stayed_run(grid, grid.across());
  const std::vector<std::byte> black(grid.texture_bytes());
  for (int row = 0; row < grid.down() && tells_all; ++row) {
    const compact::Unit unit{.tile = static_cast<uint32_t>(row * grid.across()),
                             .tiles = static_cast<uint16_t>(grid.across())};
    units.push_back({.unit = unit,
                     .coding = compact::Coding::lossy_against,
                     .check = compact::unit_check(grid, unit, black.data()),
                     .bytes = run});
  }
  const auto payloads = writer.write(units);
  if (payloads.size() > 1) fmt::print(stderr, "attack: the frame takes {} datagrams\n", payloads.size());
  return {payloads[0].begin(), payloads[0].end()};
}

struct Sent {
  uint64_t datagrams = 0, bytes = 0;
};

Sent send_large_frames(const Task& task, uint16_t port, Bytes frame) {
  const bool is_burst = task.idle == "burst";
  PacketizerSettings settings{.mtu = 1500, .ssrc = 0xBADBAD};
  settings.stream = {.width = kLarge.width, .height = kLarge.height, .fps = 30, .has_extension = true};
  settings.stream.texture_format = static_cast<uint8_t>(kLarge.format);
  settings.stream.coding = 2;
  CompactPacketizer packetizer(settings, {});
  const int count = is_burst ? 1200 : task.seconds * (task.idle == "empty" ? 27 : 29);
  const nanoseconds apart = from_seconds((is_burst ? 0.9 : task.seconds) / count);
  const int fd = socket_from(task.from);
  const SteadyTime begun = steady_now();
  Sent sent;
  for (int i = 0; i < count; ++i) {
    packetizer.begin(pts_only(from_seconds(i / 30.0)));
    for (const OutgoingPacket& packet : packetizer.add({&frame, 1}, 1)) {
      const Datagram datagram = join(packet);
      send_to_port(fd, task.from.find(':') != std::string::npos, port, datagram);
      ++sent.datagrams;
      sent.bytes += datagram.size();
    }
    std::this_thread::sleep_until(begun + (i + 1) * apart);
  }
  ::close(fd);
  return sent;
}

// How long it takes until the program says that it shows the genuine sender, in seconds; nothing if it does not.
std::optional<double> wait_for_takeover(const std::string& log_path, nanoseconds limit) {
  const SteadyTime begun = steady_now();
  while (steady_now() < begun + limit) {
    std::ifstream log(log_path);
    for (std::string line; std::getline(log, line);)
      if (line.find("is shown now: 127.0.0.1:") != std::string::npos) return in_seconds(steady_now() - begun);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return std::nullopt;
}

int attack_idle(const Task& task, const std::string& folder, Program& program, Genuine& genuine, uint16_t port) {
  const auto frame = large_frame(task.idle != "empty");
  const double memory = program.memory("VmRSS");
  const double cpu = program.cpu_seconds();
  const SteadyTime begun = steady_now();
  const Sent sent = send_large_frames(task, port, frame);
  const SteadyTime attacked = steady_now();
  const double cpu_in_attack = program.cpu_seconds() - cpu;
  std::atomic<bool> stop = false;
  std::thread sender([&] { genuine.run(stop); });
  const auto taken_over = wait_for_takeover(folder + "/log", std::chrono::seconds(task.after));
  std::this_thread::sleep_until(attacked + std::chrono::seconds(task.after));
  stop = true;
  sender.join();
  const double most = program.memory("VmHWM"), cpu_in_all = program.cpu_seconds() - cpu;
  program.interrupt();
  const int exit_code = program.wait(std::chrono::seconds(60));
  const Seen seen = look_at(folder, genuine.marked());
  std::ifstream log(folder + "/log");
  int lines = 0;
  for (std::string line; std::getline(log, line); ++lines)
    if (std::getenv("ATTACK_LOG")) fmt::print("    {}\n", line);
  fmt::print("{:<8}idle, {:<6} {} datagrams, {} bytes in {:.1f} s; ", task.command, task.idle, sent.datagrams,
             sent.bytes, in_seconds(attacked - begun));
  fmt::print("genuine shown after {}, whole {} of {}; ", taken_over ? fmt::format("{:.1f} s", *taken_over) : "never",
             seen.whole, genuine.frames.load());
  fmt::print("processor {:.0f} % in the attack, {:.1f} s in all; memory {:.0f}, most {:.0f} MiB; ",
             100 * cpu_in_attack / in_seconds(attacked - begun), cpu_in_all, memory, most);
  fmt::print("{} files, {:.0f} MiB of others; {} lines; exit {}\n", seen.files,
             static_cast<double>(seen.strange_bytes) / 1048576, lines, exit_code);
  return seen.whole > 0 ? 0 : 1;
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
  if (!task.idle.empty()) return attack_idle(task, folder.path.string(), program, genuine, port);
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
