// Attacks on the ledger: after a change in any input of a case, or in the ledger's own files, the case runs again.
#include "case_ledger.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "surroundings.h"
#include "temporary_folder.h"

using namespace texcast::test;
namespace fs = std::filesystem;

namespace {

// All inputs of a case, as they might be on some machine.
struct Machine {
  std::map<std::string, std::string> objects{
      {"checks.dir/bc7_check.cpp.o", "11"}, {"checks.dir/main.cpp.o", "22"}, {"ref/bc.o", "33"}, {"compact.o", "44"}};
  std::map<std::string, std::string> kernels{{"bc7/fast.cl", "kernel with what it includes"},
                                             {"bc1/range.cl", "another"}};
  std::map<std::string, std::string> data{{"photograph.rgb", "pixels"}};
  std::string options = "-DSOURCE_FORMAT=1";
  std::string surroundings =
      "device PoCL 3.1; driver 3.1\nlibrary libpocl.so 0badcafe\nprocessor flags: avx2\nvariable POCL_X=1\n";
  CaseName test{"./tests/kernels/bc7_check.cpp", "", "bc7 by every method"};
  bool passes = true;
  int assertions = 17;
  std::string message;

  std::string list() const {
    std::string text, reach;
    int number = 0;
    for (const auto& [path, hash] : objects) {
      text += fmt::format("object {} {} {}\n", ++number, hash, path);
      if (path == "ref/bc.o") text += fmt::format("data {} photograph.rgb\n", number);
      if (path != "compact.o") reach += fmt::format(" {}", number);
    }
    return text + "reach checks.dir/bc7_check.cpp.o" + reach + "\n";
  }
  std::string hash(const std::string& name) const {
    const std::string of = name.substr(name.find(' ') + 1), first = of.substr(0, of.find(' '));
    const auto& files = name.starts_with("data ") ? data : kernels;
    return files.contains(first) ? hash_of_text(files.at(first)) : "";
  }
};

// Runs the case once. True if it had to run.
bool runs(const fs::path& folder, const Machine& machine, std::string* said = nullptr, std::string* summary = nullptr) {
  Ledger ledger(folder);
  CaseLedger cases(ledger, ReachedObjects(machine.list()), machine.surroundings,
                   [&](const std::string& name) { return machine.hash(name); });
  const auto entry = cases.begin(machine.test);
  if (!entry) {
    const std::string program = "program bc7/fast.cl " + machine.options;
    cases.note_input(program, machine.hash(program));
    if (!machine.message.empty()) cases.note_message(machine.message);
  } else if (said != nullptr) {
    *said =
        fmt::format("{} {} {}", entry->assertions, entry->date, entry->messages.empty() ? "" : entry->messages.front());
  }
  cases.end(machine.passes, machine.assertions, "2026-11-20");
  if (summary != nullptr) *summary = cases.summary();
  return !entry;
}

fs::path only_entry(const fs::path& folder) {
  REQUIRE(std::distance(fs::directory_iterator(folder), {}) == 1);
  return fs::directory_iterator(folder)->path();
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("ledger: a case that passed does not run again, and is counted with what it printed") {
  const TemporaryFolder folder;
  Machine machine;
  machine.message = "SKIP: alpha:\nlong";
  std::string said, summary;
  CHECK(runs(folder.path, machine, nullptr, &summary));
  CHECK(summary == "ledger: 1 cases with 17 assertions checked here, 0 cases with 0 assertions as checked");
  CHECK_FALSE(runs(folder.path, machine, &said, &summary));
  CHECK(said == "17 2026-11-20 SKIP: alpha: long");
  CHECK(summary ==
        "ledger: 0 cases with 0 assertions checked here, 1 cases with 17 assertions as checked on 2026-11-20");
}

TEST_CASE("ledger: a change in any input makes the case run, and the old state is still known") {
  const std::map<std::string, void (*)(Machine&)> changes{
      {"a token of a kernel or of what it includes", [](Machine& m) { m.kernels["bc7/fast.cl"] += ";"; }},
      {"the kernel is gone", [](Machine& m) { m.kernels.erase("bc7/fast.cl"); }},
      {"a reference's object file", [](Machine& m) { m.objects["ref/bc.o"] = "34"; }},
      {"the test's object file", [](Machine& m) { m.objects["checks.dir/bc7_check.cpp.o"] = "12"; }},
      {"the object file that all cases share", [](Machine& m) { m.objects["checks.dir/main.cpp.o"] = "23"; }},
      {"one more object file", [](Machine& m) { m.objects["ref/new.o"] = "55"; }},
      {"a file of tests/data", [](Machine& m) { m.data["photograph.rgb"] = "pixel"; }},
      {"that file is gone", [](Machine& m) { m.data.clear(); }},
      {"the driver's version", [](Machine& m) { m.surroundings.replace(m.surroundings.find("3.1;"), 3, "3.2"); }},
      {"a driver's library", [](Machine& m) { m.surroundings.replace(m.surroundings.find("cafe"), 4, "caff"); }},
      {"a feature of the processor",
       [](Machine& m) { m.surroundings.replace(m.surroundings.find("avx2"), 4, "avx1"); }},
      {"a variable in the environment",
       [](Machine& m) { m.surroundings.replace(m.surroundings.find("X=1"), 3, "X=2"); }},
      {"the case's name", [](Machine& m) { m.test.name += "s"; }},
      {"the case's suite", [](Machine& m) { m.test.suite = "optimised"; }},
      {"the case's file", [](Machine& m) { m.test.file = "./tests/kernels/unknown_check.cpp"; }},
  };
  for (const auto& [name, change] : changes) {
    const std::string& what = name;
    CAPTURE(what);
    const TemporaryFolder folder;
    Machine machine;
    CHECK(runs(folder.path, machine));
    CHECK_FALSE(runs(folder.path, machine));
    Machine changed;
    change(changed);
    CHECK(runs(folder.path, changed));
    CHECK_FALSE(runs(folder.path, machine));
  }
}

TEST_CASE("ledger: a change in anything else does not make the case run") {
  const TemporaryFolder folder;
  Machine machine;
  CHECK(runs(folder.path, machine));
  machine.kernels["bc1/range.cl"] += ";";
  machine.objects["compact.o"] = "45";
  machine.test.file = "/another/clone/tests/kernels/bc7_check.cpp";
  CHECK_FALSE(runs(folder.path, machine));
}

TEST_CASE("ledger: a kernel that was changed and restored is known in both states") {
  const TemporaryFolder folder;
  Machine machine, changed;
  changed.kernels["bc7/fast.cl"] += ";";
  CHECK(runs(folder.path, machine));
  CHECK(runs(folder.path, changed));
  CHECK_FALSE(runs(folder.path, machine));
  CHECK_FALSE(runs(folder.path, changed));
}

TEST_CASE("ledger: a case that fails, or has no assertions or no inputs, gets no entry") {
  const TemporaryFolder folder;
  Machine fails, asserts_nothing, reads_nothing;
  fails.passes = false;
  asserts_nothing.assertions = 0;
  reads_nothing.kernels.clear();  // a program without a hash
  for (const Machine& machine : {fails, asserts_nothing, reads_nothing})
    for (int i = 0; i < 2; ++i) CHECK(runs(folder.path, machine));
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("ledger: a broken kernel fails despite entries of its working state") {
  const TemporaryFolder folder;
  Machine works, broken;
  CHECK(runs(folder.path, works));
  broken.kernels["bc7/fast.cl"] += " + 1";
  broken.passes = false;
  for (int i = 0; i < 2; ++i) CHECK(runs(folder.path, broken));
  CHECK_FALSE(runs(folder.path, works));
}

TEST_CASE("ledger: a case that reads one input in two states gets no entry") {
  const TemporaryFolder folder;
  const Machine machine;
  Ledger ledger(folder.path);
  CaseLedger cases(ledger, ReachedObjects(machine.list()), "",
                   [&](const std::string& name) { return machine.hash(name); });
  CHECK_FALSE(cases.begin(machine.test));
  cases.note_input("program bc7/fast.cl ", hash_of_text("one"));
  cases.note_input("program bc7/fast.cl ", hash_of_text("two"));
  cases.end(true, 1, "2026-11-20");
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE(
    "ledger: edited, truncated, renamed and foreign entries are reported, count as absent, and make the case run") {
  const Machine machine;
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  const TemporaryFolder first;
  CHECK(runs(first.path, machine));
  const fs::path entry = only_entry(first.path);
  const std::string name = entry.filename().string(), good = content(entry);
  Machine broken;
  broken.kernels["bc7/fast.cl"] += ";";
  const std::string old_hash = hash_of_text(machine.kernels.at("bc7/fast.cl")),
                    new_hash = hash_of_text(broken.kernels.at("bc7/fast.cl"));
  const std::vector<std::pair<std::string, std::string>> attacks{
      {name, replaced(good, "assertions 17", "assertions 99")},
      {name, replaced(good, old_hash, new_hash)},
      {name, replaced(good, "avx2", "avx1")},
      {name, good.substr(0, good.size() / 2)},
      {name, good.substr(0, good.rfind("sha256 "))},
      {name, good + "assertions 99\n"},
      {name, ""},
      {name, std::string(1 << 20, 'x')},
      {replaced(name, name.substr(64), "-0000000000000000"), good},
  };
  for (const auto& [file, text] : attacks) {
    const std::string beginning = text.substr(0, 2000);
    CAPTURE(beginning);
    const TemporaryFolder folder;
    std::ofstream(folder.path / file, std::ios::binary) << text;
    Ledger ledger(folder.path);
    CaseLedger cases(ledger, ReachedObjects(machine.list()), machine.surroundings,
                     [&](const std::string& input) { return broken.hash(input); });
    CHECK_FALSE(cases.begin(machine.test));
    CHECK(ledger.complaints().size() == 1);
  }
  // An entry under the file name of another key. It contains its own key.
  Machine other;
  other.surroundings += "variable POCL_Y=1\n";
  const TemporaryFolder folder;
  CHECK(runs(folder.path, other));
  const fs::path others = only_entry(folder.path);
  std::ofstream(others, std::ios::binary) << good;
  CHECK(runs(folder.path, other));
}

TEST_CASE("ledger: a rewritten entry with a correct hash vouches only for the inputs that it names") {
  const TemporaryFolder folder;
  const Machine machine;
  CHECK(runs(folder.path, machine));
  auto entry = ledger_entry_from(content(only_entry(folder.path)));
  REQUIRE(entry);
  fs::remove(only_entry(folder.path));
  entry->inputs.clear();  // vouches for nothing
  std::ofstream(folder.path / file_name(*entry), std::ios::binary) << to_text(*entry);
  CHECK(runs(folder.path, machine));
}

TEST_CASE("ledger: without a folder, or if it cannot be written, there is no ledger") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "not a folder";
  for (int i = 0; i < 2; ++i) CHECK(runs(folder.path / "file", Machine()));
}

TEST_CASE("ledger: old entries are removed, those unused for longest first") {
  const TemporaryFolder folder;
  Machine machine;
  for (int i = 0; i < 4; ++i) {
    machine.test.name = std::to_string(i);
    CHECK(runs(folder.path, machine));
    for (const auto& file : fs::directory_iterator(folder.path))
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(48));
  }
  const auto known = [&](const char* name) {
    machine.test.name = name;
    Ledger ledger(folder.path);
    CaseLedger cases(ledger, ReachedObjects(machine.list()), machine.surroundings,
                     [&](const std::string& input) { return machine.hash(input); });
    return cases.begin(machine.test).has_value();
  };
  Ledger(folder.path).remove_old(7, 100);  // they were used 2, 4, 6 and 8 days ago
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 3);
  CHECK_FALSE(known("0"));
  CHECK(known("1"));  // which marks it as used
  Ledger(folder.path).remove_old(7, 2);
  CHECK(known("1"));
  CHECK_FALSE(known("2"));
  CHECK(known("3"));
}

TEST_CASE("surroundings: libraries by build ID or content, the processor by its features, variables by name") {
  const TemporaryFolder folder;
  const auto libraries = [&](const std::string& extra) {
    std::istringstream maps("1-2 r-xp 00 08:01 5   " + folder.file("libdriver.so") + "\n1-2 rw-p 00 08:01 5   " +
                            folder.file("data.so") + "\n1-2 r-xp 00 00:00 0   [vdso]\n1-2 r-xp 00 08:01 6  /own\n" +
                            extra);
    return mapped_libraries(maps, "/own");
  };
  std::ofstream(folder.file("libdriver.so")) << "machine code";
  CHECK(libraries("") == "library libdriver.so " + hash_of_text("machine code") + "\n");
  std::ofstream(folder.file("libdriver.so")) << "machine codes";
  CHECK(libraries("") == "library libdriver.so " + hash_of_text("machine codes") + "\n");
  const std::string own = fs::read_symlink("/proc/self/exe").string();
  const std::string with_own = libraries("1-2 r-xp 00 08:01 7 " + own + "\n");
  CHECK(with_own.find("library " + fs::path(own).filename().string() + " ") != std::string::npos);
  CHECK(with_own.find(hash_of_file(own)) == std::string::npos);  // the linker adds build IDs

  std::istringstream cpuinfo(
      "processor\t: 0\nmodel\t\t: 85\ncpu MHz\t\t: 2900\nflags\t\t: fpu avx2\n\nprocessor\t: 1\n");
  CHECK(processor(cpuinfo) == "processor count: 2\nprocessor flags: fpu avx2\nprocessor model: 85\n");

  const char* const variables[] = {"HOME=/root",
                                   "POCL_DEVICES=pthread",
                                   "POCL_CACHE_DIR=/tmp",
                                   "TEXCAST_TEST_TINY=1",
                                   "TEXCAST_TEST_LEDGER=/tmp",
                                   "TEXCAST_KERNEL_DIR=/here",
                                   nullptr};
  CHECK(environment(variables) ==
        "variable POCL_DEVICES=pthread\nvariable TEXCAST_KERNEL_DIR\nvariable TEXCAST_TEST_TINY=1\n");

  const char* const no_folder[] = {"TEXCAST_KERNEL_DIR=", nullptr};
  CHECK(environment(no_folder).empty());

  fs::create_directory(folder.path / "kernels");
  std::ofstream(folder.file("kernels/builtin.bc")) << "bit code";
  std::ofstream(folder.file("linker")) << "program";
  const auto files = [&] {
    return driver_files({folder.file("kernels"), folder.file("linker"), folder.file("absent")});
  };
  const std::string before = files();
  CHECK(std::ranges::count(before, '\n') == 2);
  CHECK(before.ends_with(fmt::format("file {} {}\n", folder.file("linker"), hash_of_text("program"))));
  std::ofstream(folder.file("kernels/builtin.bc")) << "bit codes";
  CHECK(files() != before);
}
