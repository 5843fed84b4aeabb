#include "scenarios.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
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

// What every scenario has: a receiver that records, a way to it on which all is overheard, and who forges.
class Stage {
 public:
  explicit Stage(const Task& task, const Relay::OnPassing& also = {})
      : task_(task),
        keys_(make_keys()),
        receiver_(task.program, folder_.path.string(), task.command, words_of_receiver()),
        relay_(static_cast<uint16_t>(port_ + kLanes), port_,
               [this, also](Lane lane, Bytes datagram) {
                 overheard_.put(lane, datagram);
                 if (also) also(lane, datagram);
               }),
        mouth_(task, relay_) {
    pass(2);  // it listens by then
  }
  std::string folder() const { return folder_.path.string(); }
  const std::shared_ptr<const transport::WireKeys>& keys() const { return keys_; }
  Relay& relay() { return relay_; }
  Mouth& mouth() { return mouth_; }
  Program& receiver() { return receiver_; }
  std::string url() const { return "rtp://127.0.0.1:" + std::to_string(relay_.port()); }
  Words words_of_key() const { return keys_ ? Words{"--key-file", folder_.file("key")} : Words{}; }

  // The attack goes on in a thread from begin_attack() to end_attack(), which waits for its end.
  void begin_attack(void (*attack)(const Scene&)) {
    memory_before_ = receiver_.memory_now();
    cpu_before_ = receiver_.cpu_seconds();
    begun_ = steady_now();
    stop_ = false;
    attack_ = std::thread([this, attack] { attack({task_, mouth_, overheard_, stop_}); });
  }
  void end_attack(bool by_itself = false) {
    stop_ = !by_itself;
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
    fmt::print("{:<8}{:<8}{:<7} from {:<10} {:>7} forged; {}; ", task_.scenario, task_.command,
               task_.sealed ? "sealed" : "plain", task_.from, mouth_.said(), genuine);
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
  Mouth mouth_;
  std::atomic<bool> stop_ = false;
  std::thread attack_;
  SteadyTime begun_{};
  double memory_before_ = 0, memory_most_ = 0, cpu_before_ = 0, cpu_share_ = 0;
  int exit_code_ = 0;
};

// ---- a sender whose frames say themselves that they are genuine ----

// When the attack and the genuine stream begin and end.
enum class Order {
  genuine_first,  // two seconds; both for Task::seconds; two seconds without the attack
  attack_first,   // until it ends by itself; then 15 seconds without
};

bool run_marked(const Task& task, void (*attack)(const Scene&), Order order, Habit habit = Habit::steady) {
  Stage stage(task);
  Genuine genuine(task, stage.keys(), stage.relay().port(), habit);
  std::atomic<bool> stop = false;
  std::thread sender;
  const auto begin_sender = [&] { sender = std::thread([&] { genuine.run(stop); }); };
  if (order == Order::genuine_first) {
    begin_sender();
    pass(2);
    stage.begin_attack(attack);
    pass(task.seconds);
    stage.end_attack();
    pass(2);
  } else {
    stage.begin_attack(attack);
    stage.end_attack(true);
    begin_sender();
    pass(15);
  }
  stop = true;
  sender.join();
  std::this_thread::sleep_for(500ms);
  stage.close();
  const Recorded recorded = look_at_marked(stage.folder(), genuine.marked());
  const uint64_t sent = genuine.sent(), came = recorded.whole + recorded.patched;
  const std::string shown =
      recorded.first ? fmt::format("after {:.1f} s", static_cast<double>(*recorded.first) / kFps) : "never";
  stage.print(fmt::format("genuine {} sent, {} whole, {} patched, {} lost, shown {}; {} wrong, {:.0f} MiB of others",
                          sent, recorded.whole, recorded.patched, sent - std::min(sent, came), shown, recorded.wrong,
                          static_cast<double>(recorded.strange_bytes) / 1048576),
              recorded.files);
  return stage.exit_code() == 0 && recorded.wrong == 0 && recorded.whole > 0;
}

// ---- texcast itself sends ----

Program sender_to(Stage& stage, const Task& task, Words words) {
  words.insert(words.begin(), "send");
  words.push_back(stage.url());
  for (const std::string& word : stage.words_of_key()) words.push_back(word);
  for (const char* word : {"--device", "cpu-reference", "--json"}) words.push_back(word);
  return Program(task.program, stage.folder(), "send", words);
}

const Words kStillPicture{"lavfi:smptebars=size=256x128:rate=30"};
constexpr TextureDesc kStill{.format = TextureFormat::bc1, .width = 256, .height = 128, .color = {}};

// With sound of the sender's own the attack begins in its midst; without, before the sender: a recording takes sound
// that is there when it begins.
bool run_sound(const Task& task, bool is_sent) {
  Stage stage(task);
  Words words = kStillPicture;
  if (is_sent) {
    words.push_back("--audio-source");
    words.push_back(fmt::format("lavfi:aevalsrc={0}|{0}:s=48000", kGenuineLevel));
  } else {
    words.push_back("--audio");
    words.push_back("none");
    stage.begin_attack(sound);
  }
  Program sender = sender_to(stage, task, words);
  pass(3);
  if (is_sent) stage.begin_attack(sound);
  pass(task.seconds);
  stage.end_attack();
  pass(1);
  sender.interrupt();
  sender.wait(20s);
  stage.close();
  const Still still = look_at_still(stage.folder());
  const Heard heard = listen_to(stage.folder());
  stage.print(fmt::format("{} frames; sound {:.2f} s genuine, {:.2f} s forged, {:.2f} s silent, {:.2f} s in between",
                          still.frames, heard.genuine, heard.forged, heard.silent, heard.between),
              still.files);
  return stage.exit_code() == 0 && heard.forged == 0;
}

bool run_reports(const Task& task) {
  Stage stage(task);
  Program sender =
      sender_to(stage, task, {"lavfi:testsrc2=size=320x180:rate=30,noise=alls=40:allf=t", "--bitrate", "3M:12M"});
  const auto megabits = [&](int seconds) {
    const uint64_t before = stage.relay().bytes(Lane::picture);
    pass(seconds);
    return 8e-6 * static_cast<double>(stage.relay().bytes(Lane::picture) - before) / seconds;
  };
  pass(8);
  const double in_peace = megabits(2);
  stage.begin_attack(report_losses);
  const double attacked = megabits(task.seconds);
  stage.end_attack();
  sender.interrupt();
  sender.wait(20s);
  stage.close();
  const Still still = look_at_still(stage.folder());
  stage.print(fmt::format("{} frames; {:.2f} Mbit/s before, {:.2f} in the attack", still.frames, in_peace, attacked),
              still.files);
  return stage.exit_code() == 0 && attacked > 0.8 * in_peace;
}

// A forged tile in front of a genuine packet every two seconds.
bool run_tile(const Task& task) {
  std::atomic<bool> forges = false;
  Stage* on = nullptr;
  Stage stage(task, [&](Lane lane, Bytes datagram) {
    if (lane != Lane::picture || !forges.exchange(false)) return;
    const auto forged = with_forged_tile(datagram, kStill);
    if (!forged.empty()) on->mouth().say(Lane::picture, forged);
  });
  on = &stage;
  Program sender = sender_to(stage, task, kStillPicture);
  pass(3);
  stage.begin_attack([](const Scene&) {});
  for (int second = 0; second < task.seconds; second += 2) {
    forges = true;
    pass(2);
  }
  stage.end_attack();
  pass(5);
  sender.interrupt();
  sender.wait(20s);
  stage.close();
  const Still still = look_at_still(stage.folder());
  stage.print(fmt::format("{} frames, {} of them wrong, {} in a row at most", still.frames, still.wrong, still.longest),
              still.files);
  return stage.exit_code() == 0 && still.longest < 5 * 30;
}

constexpr Scenario kScenarios[] = {
    {"flood", "fourteen kinds of packets, --rate a second, at a stream that is shown",
     [](const Task& task) { return run_marked(task, flood, Order::genuine_first); }},
    {"burst", "before the genuine stream: 1,200 datagrams in a second, each with a part of a picture of 4096x4096",
     [](const Task& task) { return run_marked(task, send_large_frames, Order::attack_first); }},
    {"heavy", "the same, 29 a second for --seconds",
     [](const Task& task) { return run_marked(task, send_large_frames, Order::attack_first); }},
    {"empty", "the same, 27 a second that tell of nothing",
     [](const Task& task) { return run_marked(task, send_large_frames, Order::attack_first); }},
    {"idle", "other pictures, also such as .mov does not hold, 50 a second, before the genuine stream",
     [](const Task& task) { return run_marked(task, describe, Order::attack_first); }},
    {"files", "the same of other sizes alone",
     [](const Task& task) { return run_marked(task, describe, Order::attack_first); }},
    {"pause", "other sizes and formats, while the genuine stream pauses every other second",
     [](const Task& task) { return run_marked(task, describe, Order::genuine_first, Habit::pauses); }},
    {"change", "the same, while the genuine stream is BC5 and BC1 in turn, two seconds each",
     [](const Task& task) { return run_marked(task, describe, Order::genuine_first, Habit::changes); }},
    {"sound", "a tone beside a stream with sound", [](const Task& task) { return run_sound(task, true); }},
    {"tone", "a tone beside a stream without sound", [](const Task& task) { return run_sound(task, false); }},
    {"reports", "receivers' reports of losses, to a sender with --bitrate 3M:12M", run_reports},
    {"tile", "another tile of a picture that stands still, every two seconds", run_tile},
};

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

}  // namespace texcast::attack
