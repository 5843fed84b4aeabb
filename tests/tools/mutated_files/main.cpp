// mutated-files [--count N] [--seed S] [--kind KIND] [--first I] [--keep FOLDER]: runs the subcommands that read files
// on N damaged copies of each kind of file. The intact files are made by the program itself. Fails on a crash, more
// than 10 s of CPU time (a minute of real time), more than 1 GiB of memory, an undocumented exit code, or a failure
// without a message. The program is linked in and runs in forks, so that FFmpeg's libraries are loaded once. A finding
// names its kind and number: `--kind mov --first 17 --count 1 --keep .` makes that file again.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../linked_program.h"
#include "mutate.h"
#include "temporary_folder.h"

namespace {

using namespace texcast::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr double kMostCpuSeconds = 10;
constexpr auto kHangs = 60s;  // allows for a busy machine
constexpr double kMostMiB = 1024;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasuresMemory = false;  // it would include the sanitizer's memory
#else
constexpr bool kMeasuresMemory = true;
#endif

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
void write_file(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

struct Run {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  double cpu_seconds = 0;
  double mib = 0;
  bool hung = false;
  std::string said{};  // stderr
};

pid_t start(const Words& words) {
  return start_linked_program(words, "out", "err", [] {
    if (!kMeasuresMemory) return;
    const rlimit memory = {rlim_t{8} << 30, rlim_t{8} << 30};  // so that a finding does not affect the machine
    setrlimit(RLIMIT_AS, &memory);
  });
}

Run run(const Words& words) {
  Run result;
  const auto begun = Clock::now();
  const pid_t child = start(words);
  int status = 0;
  rusage used = {};
  for (auto pause = 500us; wait4(child, &status, WNOHANG, &used) == 0; pause = std::min(2 * pause, 5000us)) {
    std::this_thread::sleep_for(pause);
    if (Clock::now() - begun < kHangs) continue;
    result.hung = true;
    kill(child, SIGKILL);
    wait4(child, &status, 0, &used);
    break;
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  result.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  result.mib = static_cast<double>(used.ru_maxrss) / 1024;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.said = read_file("err") + (words.front() == "verify" ? read_file("out") : "");  // verify prints what it finds
  return result;
}

// ---- intact files ----

// A file of one kind, or several files with one name (a recording and its journal).
struct Whole {
  std::vector<std::string> extensions;
  std::vector<std::string> bytes;
};

struct Kind {
  std::string name;
  std::vector<Whole> wholes{};
  std::vector<Words> commands{};  // % is the file
};

void make(const Words& words) {
  const Run made = run(words);
  if (made.exit_code == 0) return;
  std::fprintf(stderr, "cannot make a whole file: %s\n", made.said.c_str());
  std::exit(2);
}

std::vector<Words> encodings() {
  std::vector<Words> all;
  for (const char* format : {"bc1", "bc3", "bc4", "ycocg-dxt5", "ycocg-dxt5-alpha", "ycocg-bc4"})
    all.push_back({"--format", format});
  return all;
}

Whole encoded(const std::string& extension, const Words& more) {
  Words words = {"encode",        "test",     "whole" + extension,
                 "--size",        "68x44",    "--device",
                 "cpu-reference", "--frames", extension == ".mov" || extension == ".mkv" ? "6" : "1"};
  words.insert(words.end(), more.begin(), more.end());
  make(words);
  Whole whole{{extension}, {read_file("whole" + extension)}};
  fs::remove("whole" + extension);
  return whole;
}

// Written by hand with three kinds of legal blocks: void extent (0x1FC without extents), void extent with half floats,
// and a grid of weights.
Whole astc(unsigned char block_width, unsigned char block_height) {
  constexpr unsigned kWidth = 68, kHeight = 44;
  using namespace std::string_literals;
  std::string file = "\x13\xAB\xA1\x5C"s;
  for (const unsigned char byte : {block_width, block_height, uint8_t{1}, uint8_t{kWidth}, uint8_t{0}, uint8_t{0},
                                   uint8_t{kHeight}, uint8_t{0}, uint8_t{0}, uint8_t{1}, uint8_t{0}, uint8_t{0}})
    file += static_cast<char>(byte);
  const std::array blocks = {"\xFC\xFD\xFF\xFF\xFF\xFF\xFF\xFF\x00\x80\x00\x40\xFF\xFF\xFF\xFF"s,
                             "\xFC\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00\x3C\x00\x38\x00\x00\x00\x3C"s,
                             "\x42\x00\x28\x2A\x00\x00\x00\x00\x00\x00\x00\x00\x55\x55\x55\x55"s};
  const unsigned across = (kWidth + block_width - 1) / block_width, down = (kHeight + block_height - 1) / block_height;
  for (unsigned i = 0; i < across * down; ++i) file += blocks[i % blocks.size()];
  return {{".astc"}, {file}};
}

// The files that a killed recording leaves behind.
Whole unfinished() {
  const pid_t child = start({"encode", "test", "cut.mov", "--size", "68x44", "--device", "cpu-reference"});
  std::error_code ignored;
  for (const auto begun = Clock::now(); Clock::now() - begun < 20s; std::this_thread::sleep_for(5ms))
    if (const auto bytes = fs::file_size("cut.mov.journal", ignored); !ignored && bytes >= 800) break;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  Whole whole{{".mov", ".mov.journal"}, {read_file("cut.mov"), read_file("cut.mov.journal")}};
  fs::remove("cut.mov");
  fs::remove("cut.mov.journal");
  return whole;
}

std::vector<Kind> whole_files() {
  const std::vector<Words> reads = {{"info", "%"},
                                    {"verify", "%"},
                                    {"play", "%", "--no-window"},
                                    {"decode", "%", "decoded.rgb"},
                                    {"recover", "%", "-o", "recovered.mov"}};
  const std::vector<Words> stills(reads.begin(), reads.end() - 1);  // these cannot be recovered
  const std::vector<Words> receives = {{"play", "pcap:%", "--no-window"}, {"receive", "pcap:%", "received.mov"}};
  std::vector<Words> compact_reads(reads.begin(), reads.end() - 1);
  compact_reads.push_back({"recover", "%", "-o", "recovered.mkv"});
  compact_reads.push_back({"encode", "%", "encoded.mov", "--device", "cpu-reference"});
  Kind compact{"compact", {}, compact_reads};
  Kind mov{"mov", {}, reads}, mkv{"mkv", {}, reads}, dds{"dds", {}, stills}, ktx2{"ktx2", {}, stills},
      astc_files{"astc", {astc(4, 4), astc(8, 5), astc(12, 12)}, stills}, journal{"journal", {}, reads},
      pcap{"pcap", {}, receives}, pcapng{"pcapng", {}, receives};
  for (const Words& format : encodings()) {
    mov.wholes.push_back(encoded(".mov", format));
    mkv.wholes.push_back(encoded(".mkv", format));
    dds.wholes.push_back(encoded(".dds", format));
    ktx2.wholes.push_back(encoded(".ktx2", format));
    Words compactly = format;
    compactly.insert(compactly.end(), {"--coding", "compact"});
    compact.wholes.push_back(encoded(".mkv", compactly));
  }
  mov.wholes.push_back(encoded(".mov", {"--format", "ycocg-bc4", "--layout", "planes"}));
  mkv.wholes.push_back(encoded(".mkv", {"--format", "ycocg-bc4", "--layout", "planes"}));
  mov.wholes.push_back(encoded(".mov", {"--chunks", "4"}));
  mov.wholes.push_back(encoded(".mov", {"--snappy", "off"}));
  ktx2.wholes.push_back(encoded(".ktx2", {"--zstd", "off"}));
  dds.wholes.push_back(encoded(".dds", {"--format", "bc5"}));
  journal.wholes.push_back(unfinished());
  for (const Words& more : {Words{}, Words{"--plain"}, Words{"--plain", "--fec", "none"},
                            Words{"--fec", "ultragrid-rs:20:24"}, Words{"--format", "ycocg-bc4", "--fec", "30%"}}) {
    Words words = {"send",  "test",     "pcap:whole",    "--overwrite", "--size",
                   "68x44", "--device", "cpu-reference", "--frames",    "4"};
    words.insert(words.end(), more.begin(), more.end());
    make(words);
    pcap.wholes.push_back({{".pcap"}, {read_file("whole")}});
    pcapng.wholes.push_back({{".pcapng"}, {as_pcapng(read_file("whole"))}});
  }
  return {mov, mkv, compact, dds, ktx2, astc_files, journal, pcap, pcapng};
}

// ---- checks ----

struct Row {
  int runs = 0;
  std::map<int, int> exit_codes{};
  double slowest_s = 0;
  double most_mib = 0;
  int findings = 0;
};

std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Empty: the behaviour is as documented. Exit code 1 is a failure of disk or system, which no file can cause.
std::string finding_of(const Run& r) {
  if (r.hung) return "hangs";
  if (r.cpu_seconds > kMostCpuSeconds) return "more than 10 s";
  if (r.signal != 0) return "signal " + std::to_string(r.signal);
  if (kMeasuresMemory && r.mib > kMostMiB) return "more than 1 GiB";
  constexpr int kDocumented[] = {0, 5, 7};
  if (std::ranges::find(kDocumented, r.exit_code) == std::end(kDocumented))
    return "exit code " + std::to_string(r.exit_code);
  if (r.exit_code != 0 && r.said.empty()) return "a failure without a word";
  if (r.said.find("please report") != std::string::npos) return "an unexpected failure";
  return {};
}

void try_one(const Kind& kind, const std::string& file, int number, std::map<std::string, Row>& rows) {
  for (Words command : kind.commands) {
    Row& row = rows[command[0]];
    for (std::string& word : command)
      if (const size_t at = word.find('%'); at != std::string::npos) word.replace(at, 1, file);
    Run result = run(command);
    if (result.hung) result = run(command);  // run it twice, in case the machine was busy
    ++row.runs;
    ++row.exit_codes[result.exit_code];
    row.slowest_s = std::max(row.slowest_s, result.cpu_seconds);
    row.most_mib = std::max(row.most_mib, result.mib);
    for (const char* made : {"decoded.rgb", "recovered.mov", "recovered.mov.journal", "received.mov", "recovered.mkv",
                             "recovered.mkv.journal", "encoded.mov", "encoded.mov.journal"})
      fs::remove(made);
    const std::string finding = finding_of(result);
    if (finding.empty()) continue;
    ++row.findings;
    std::printf("FINDING --kind %s --first %d: %s: %s\n  %s", kind.name.c_str(), number, text_of(command).c_str(),
                finding.c_str(), result.said.empty() ? "\n" : result.said.c_str());
    std::fflush(stdout);
  }
}

void make_and_try(const Kind& kind, uint64_t seed, int number, const std::string& folder,
                  std::map<std::string, Row>& rows) {
  Random random(seed * 1'000'003 + static_cast<uint64_t>(number) * 7919 + std::hash<std::string>{}(kind.name));
  const Whole& whole = kind.wholes[random() % kind.wholes.size()];
  const Whole& other = kind.wholes[random() % kind.wholes.size()];
  const std::string name = kind.name + "-" + std::to_string(number);
  // At least one of the files with the same name is damaged.
  const size_t certain = random() % whole.bytes.size();
  std::vector<std::string> paths;
  for (size_t i = 0; i < whole.bytes.size(); ++i) {
    paths.push_back(folder + name + whole.extensions[i]);
    const bool damaged = i == certain || random() % 3 == 0;
    write_file(paths.back(), damaged ? mutated(whole.bytes[i], other.bytes[i], random) : whole.bytes[i]);
  }
  try_one(kind, paths.front(), number, rows);
  if (!folder.empty()) return;
  for (const std::string& path : paths) fs::remove(path);
}

void print(const Kind& kind, const std::map<std::string, Row>& rows) {
  for (const auto& [command, row] : rows) {
    std::string codes;
    for (const auto& [code, count] : row.exit_codes)
      codes += (codes.empty() ? "" : ", ") + std::to_string(count) + " x " + std::to_string(code);
    std::printf("| %s | %s | %d | %s | %.2f | %.0f | %d |\n", kind.name.c_str(), command.c_str(), row.runs,
                codes.c_str(), row.slowest_s, row.most_mib, row.findings);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int count = 10, first = 0;
  uint64_t seed = 1;
  std::string only, keep;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--count") count = std::stoi(value);
    if (option == "--first") first = std::stoi(value);
    if (option == "--seed") seed = std::stoull(value);
    if (option == "--kind") only = value;
    if (option == "--keep") keep = fs::canonical(value).string() + "/";
  }
  const TemporaryFolder folder;
  fs::current_path(folder.path);
  const std::vector<Kind> kinds = whole_files();
  int findings = 0;
  std::printf(
      "| kind | subcommand | files | exit codes | most CPU s | most MiB | findings |\n|---|---|---|---|---|---|---|\n");
  for (const Kind& kind : kinds) {
    if (!only.empty() && kind.name != only) continue;
    std::map<std::string, Row> rows;
    for (int number = first; number < first + count; ++number) make_and_try(kind, seed, number, keep, rows);
    print(kind, rows);
    for (const auto& [command, row] : rows) findings += row.findings;
  }
  fs::current_path("/");
  return findings == 0 ? 0 : 1;
}
