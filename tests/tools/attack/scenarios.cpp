#include "scenarios.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../../temporary_folder.h"
#include "attacks.h"
#include "genuine.h"
#include "program.h"
#include "recorded.h"
#include "relay.h"
#include "transport/key_file.h"

namespace texcast::attack {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

void pass(int seconds) { std::this_thread::sleep_for(std::chrono::seconds(seconds)); }

// The parts of every scenario: a receiver that records, the relay in front of it, and the forger.
class Setup {
 public:
  // `before_packet`, if given, is called with each datagram of the sender before it reaches the receiver.
  using BeforePacket = std::function<void(ForgerSocket&, Lane, Bytes)>;
  explicit Setup(const Task& task, const BeforePacket& before_packet = {})
      : task_(task),
        keys_(make_keys()),
        receiver_(task.program, folder_.path.string(), task.command, words_of_receiver()),
        relay_(static_cast<uint16_t>(port_ + kLanes), port_,
               [this, before_packet](Lane lane, Bytes datagram) {
                 overheard_.put(lane, datagram);
                 if (before_packet) before_packet(forger_, lane, datagram);
               }),
        forger_(task, relay_) {
    pass(2);  // it listens by then
  }
  std::string folder() const { return folder_.path.string(); }
  const std::shared_ptr<const transport::WireKeys>& keys() const { return keys_; }
  Relay& relay() { return relay_; }
  std::string url() const { return "rtp://127.0.0.1:" + std::to_string(relay_.port()); }
  Words words_of_key() const { return keys_ ? Words{"--key-file", folder_.file("key")} : Words{}; }

  // The attack runs on a thread of its own. end_attack() stops it; wait_for_attack() lets it end by itself.
  void begin_attack(Attack attack) {
    memory_before_ = receiver_.memory_now();
    cpu_before_ = receiver_.cpu_seconds();
    begun_ = steady_now();
    stop_ = false;
    attack_ = std::thread([this, attack] { attack({task_, forger_, overheard_, stop_}); });
  }
  void end_attack() {
    stop_ = true;
    wait_for_attack();
  }
  void wait_for_attack() {
    attack_.join();
    cpu_share_ = (receiver_.cpu_seconds() - cpu_before_) / in_seconds(steady_now() - begun_);
  }
  // Ends the receiver.
  void close() {
    memory_most_ = receiver_.memory_most();
    receiver_.interrupt();
    exit_code_ = receiver_.wait(60s);
  }
  int exit_code() const { return exit_code_; }
  void print(const std::string& genuine, uint64_t files) const {
    fmt::print("{:<8}{:<8}{:<7} from {:<10} {:>7} packets; {}; ", task_.scenario, task_.command,
               task_.sealed ? "sealed" : "plain", task_.from, forger_.sent(), genuine);
    if (const auto median = receiver_.reported("p50", "latency_ms"))
      fmt::print("shown in {:.1f} ms (p95 {:.1f}); ", *median, receiver_.reported("p95", "latency_ms").value_or(0));
    fmt::print("{} files, {} lines; processor {:.0f} %; memory {:.0f}, most {:.0f} MiB; exit {}\n", files,
               receiver_.log_lines(), 100 * cpu_share_, memory_before_, memory_most_, exit_code_);
    if (!std::getenv("ATTACK_LOG")) return;
    std::ifstream log(receiver_.log());
    for (std::string line; std::getline(log, line);) fmt::print("    {}\n", line);
  }

 private:
  std::shared_ptr<const transport::WireKeys> make_keys() const {
    if (!task_.sealed) return nullptr;
    std::ofstream(folder_.file("key")) << "a passphrase that no forger knows\n";
    ::chmod(folder_.file("key").c_str(), 0600);
    return transport::load_keys(folder_.file("key"));
  }
  Words words_of_receiver() const {
    const std::string url = "rtp://:" + std::to_string(port_), recording = folder_.file("show.mov");
    Words words = task_.command == "play" ? Words{"play", url, "--offscreen", "--record", recording}
                                          : Words{"receive", url, recording};
    for (const std::string& word : words_of_key()) words.push_back(word);
    words.push_back("--json");
    return words;
  }

  const Task& task_;
  const texcast::test::TemporaryFolder folder_;
  const uint16_t port_ = static_cast<uint16_t>(20'000 + 8 * (static_cast<unsigned>(::getpid()) % 4'000));
  const std::shared_ptr<const transport::WireKeys> keys_;
  Program receiver_;
  Overheard overheard_;
  Relay relay_;
  ForgerSocket forger_;
  std::atomic<bool> stop_ = false;
  std::thread attack_;
  SteadyTime begun_{};
  double memory_before_ = 0, memory_most_ = 0, cpu_before_ = 0, cpu_share_ = 0;
  int exit_code_ = 0;
};

// ---- the genuine sender of genuine.h ----

enum class Order {
  genuine_first,  // the genuine stream alone for two seconds, the attack beside it for Task::seconds, and two seconds
                  // more
  attack_first,   // the attack alone until it ends by itself, then the genuine stream for 15 seconds
};

bool run_marked(const Task& task, Attack attack, Order order, Pattern pattern = Pattern::steady) {
  Setup setup(task);
  Genuine genuine(task, setup.keys(), setup.relay().port(), pattern);
  std::atomic<bool> stop = false;
  std::thread sender;
  const auto begin_sender = [&] { sender = std::thread([&] { genuine.run(stop); }); };
  if (order == Order::genuine_first) {
    begin_sender();
    pass(2);
    setup.begin_attack(attack);
    pass(task.seconds);
    setup.end_attack();
    pass(2);
  } else {
    setup.begin_attack(attack);
    setup.wait_for_attack();
    begin_sender();
    pass(15);
  }
  stop = true;
  sender.join();
  std::this_thread::sleep_for(500ms);
  setup.close();
  const Recorded recorded = look_at_marked(setup.folder(), genuine.marked());
  const uint64_t sent = genuine.sent(), came = recorded.whole + recorded.patched;
  const std::string shown =
      recorded.first ? fmt::format("after {:.1f} s", static_cast<double>(*recorded.first) / kFps) : "never";
  setup.print(
      fmt::format("genuine {} sent, {} whole, {} patched, {} lost, shown {}; {} forged; {} other frames, {:.0f} MiB",
                  sent, recorded.whole, recorded.patched, sent - std::min(sent, came), shown, recorded.forged,
                  recorded.other_frames, static_cast<double>(recorded.other_bytes) / 1048576),
      recorded.files);
  return setup.exit_code() == 0 && recorded.forged == 0 && recorded.whole > 0;
}

// ---- `texcast send` is the genuine sender ----

Program sender_to(Setup& setup, const Task& task, Words words) {
  words.insert(words.begin(), "send");
  words.push_back(setup.url());
  for (const std::string& word : setup.words_of_key()) words.push_back(word);
  for (const char* word : {"--device", "cpu-reference", "--json"}) words.push_back(word);
  return Program(task.program, setup.folder(), "send", words);
}

// Ends both programs, and reads the recording.
Still end(Setup& setup, Program& sender) {
  sender.interrupt();
  sender.wait(20s);
  setup.close();
  return look_at_still(setup.folder());
}

const Words kStillPicture{"lavfi:smptebars=size=256x128:rate=30"};
constexpr TextureDesc kStill{.format = TextureFormat::bc1, .width = 256, .height = 128, .color = {}};

// If the sender has sound, the attack begins in the middle of it. Otherwise the attack begins before the sender,
// because a recording has a sound track only if there is sound when it begins.
bool run_sound(const Task& task, bool is_sent) {
  Setup setup(task);
  Words words = kStillPicture;
  if (is_sent) {
    words.push_back("--audio-source");
    words.push_back(fmt::format("lavfi:aevalsrc={0}|{0}:s=48000", kGenuineLevel));
  } else {
    words.push_back("--audio");
    words.push_back("none");
    setup.begin_attack(send_sound);
  }
  Program sender = sender_to(setup, task, words);
  pass(3);
  if (is_sent) setup.begin_attack(send_sound);
  pass(task.seconds);
  setup.end_attack();
  pass(1);
  const Still still = end(setup, sender);
  const Heard heard = listen_to(setup.folder());
  setup.print(fmt::format("{} frames; sound {:.2f} s genuine, {:.2f} s forged, {:.2f} s silent, {:.2f} s in between",
                          still.frames, heard.genuine, heard.forged, heard.silent, heard.between),
              still.files);
  return setup.exit_code() == 0 && heard.forged == 0;
}

bool run_reports(const Task& task) {
  Setup setup(task);
  Program sender =
      sender_to(setup, task, {"lavfi:testsrc2=size=320x180:rate=30,noise=alls=40:allf=t", "--bitrate", "3M:12M"});
  const auto megabits = [&](int seconds) {
    const uint64_t before = setup.relay().bytes(Lane::picture);
    pass(seconds);
    return 8e-6 * static_cast<double>(setup.relay().bytes(Lane::picture) - before) / seconds;
  };
  pass(8);
  const double in_peace = megabits(2);
  setup.begin_attack(report_losses);
  const double attacked = megabits(task.seconds);
  setup.end_attack();
  const Still still = end(setup, sender);
  setup.print(fmt::format("{} frames; {:.2f} Mbit/s before, {:.2f} in the attack", still.frames, in_peace, attacked),
              still.files);
  return setup.exit_code() == 0 && attacked > 0.8 * in_peace;
}

// Every two seconds a forged tile is sent before a genuine packet.
bool run_tile(const Task& task) {
  std::atomic<bool> forges = false;
  Setup setup(task, [&](ForgerSocket& forger, Lane lane, Bytes datagram) {
    if (lane != Lane::picture || !forges.exchange(false)) return;
    const auto forged = with_forged_tile(datagram, kStill);
    if (!forged.empty()) forger.send_to_receiver(Lane::picture, forged);
  });
  Program sender = sender_to(setup, task, kStillPicture);
  pass(3);
  setup.begin_attack([](const AttackContext&) {});
  for (int second = 0; second < task.seconds; second += 2) {
    forges = true;
    pass(2);
  }
  setup.end_attack();
  pass(5);
  const Still still = end(setup, sender);
  setup.print(fmt::format("{} frames, {} of them wrong, {} in a row at most", still.frames, still.wrong, still.longest),
              still.files);
  return setup.exit_code() == 0 && still.longest < 5 * 30;
}

constexpr Scenario kScenarios[] = {
    {"flood", "fourteen kinds of packets, --rate per second, during the genuine stream",
     [](const Task& task) { return run_marked(task, flood, Order::genuine_first); }},
    {"burst", "before the genuine stream: 1,200 costly datagrams of 4096x4096 in 0.9 s",
     [](const Task& task) { return run_marked(task, send_burst, Order::attack_first); }},
    {"heavy", "before the genuine stream: 29 of these datagrams per second",
     [](const Task& task) { return run_marked(task, send_costly_frames, Order::attack_first); }},
    {"empty", "before the genuine stream: 27 empty frames of 4096x4096 per second",
     [](const Task& task) { return run_marked(task, send_empty_frames, Order::attack_first); }},
    {"idle", "before the genuine stream: frames of other sizes and formats, 50 per second",
     [](const Task& task) { return run_marked(task, send_other_formats, Order::attack_first); }},
    {"files", "before the genuine stream: frames of other sizes, 50 per second",
     [](const Task& task) { return run_marked(task, send_other_sizes, Order::attack_first); }},
    {"pause", "frames of other sizes and formats, while the genuine sender pauses every other second",
     [](const Task& task) { return run_marked(task, send_other_formats, Order::genuine_first, Pattern::pauses); }},
    {"change", "the same, while the genuine sender changes between BC1 and BC5 every two seconds",
     [](const Task& task) { return run_marked(task, send_other_formats, Order::genuine_first, Pattern::changes); }},
    {"sound", "a tone, during a stream with sound", [](const Task& task) { return run_sound(task, true); }},
    {"tone", "a tone, during a stream without sound", [](const Task& task) { return run_sound(task, false); }},
    {"reports", "RTCP reports of loss, to a sender with --bitrate 3M:12M", run_reports},
    {"tile", "another tile of a picture that never changes, every two seconds", run_tile},
};

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

}  // namespace texcast::attack
