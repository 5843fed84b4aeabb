// A command loads libraries for capture, media and windows only when it uses them. The tests check lists of libraries
// from the loader (LD_DEBUG of ld.so(8)), not times.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lazy/lazy_library.h"
#include "media/ffmpeg.h"
#include "program.h"

using namespace texcast::test;

namespace {

const std::vector<std::string> kCapture = {"libavdevice.", "libavfilter.",       "libpipewire-", "libsystemd.",
                                           "libavahi-",    "libwayland-client.", "libxcb"};
const std::vector<std::string> kMedia = {"libavcodec.", "libavformat.", "libswscale.", "libX11."};
const std::vector<std::string> kPlayer = {"libSDL2"};

struct Run {
  Outcome outcome;
  std::set<std::string> libraries;  // "libc.so.6"

  // The libraries whose name begins with one of these.
  std::string of(const std::vector<std::vector<std::string>>& forbidden) const {
    std::string found;
    for (const std::string& library : libraries)
      for (const auto& group : forbidden)
        if (std::ranges::any_of(group, [&](const std::string& name) { return library.starts_with(name); }))
          found += library + " ";
    return found;
  }
};

// Runs the built program, because the forks have everything loaded.
std::string built(const std::string& command) {
  REQUIRE(command.starts_with("texcast "));
  return "\"$built\"" + command.substr(std::string("texcast").size());
}

// The loader writes a line for each library that is loaded, at the start or later: "calling init: /lib/…/libc.so.6".
Run run(const Folder& folder, const std::string& command) {
  Run result{.outcome = shell("cd '" + folder.file("") + "'\nrm -f loader.*\nLD_DEBUG=files LD_DEBUG_OUTPUT=loader " +
                              built(command) + "\nended=$?\ncat loader.* > loaded\nexit $ended\n"),
             .libraries = {}};
  std::istringstream lines(read_file(folder.file("loaded")));
  for (std::string line; std::getline(lines, line);)
    if (line.find("calling init: ") != std::string::npos) result.libraries.insert(line.substr(line.rfind('/') + 1));
  REQUIRE(result.libraries.contains("libc.so.6"));
  return result;
}

// Skips the test if this build links libraries as usual (codec/lazy has no code for this CPU).
bool loads_late() {
  const bool late = !texcast::lazy::library_files().empty();
  if (!late) MESSAGE("SKIP: this build loads all libraries at the start");
  return late;
}

std::string device_library() { return "libavdevice.so." + std::to_string(LIBAVDEVICE_VERSION_MAJOR); }

}  // namespace

TEST_CASE("--version and --help load no library of capture, media or windows") {
  if (!loads_late()) return;
  const Folder folder;
  for (const std::string words : {"--version", "--help", "send --help", "completion bash"}) {
    CAPTURE(words);
    const Run asked = run(folder, "texcast " + words);
    CHECK(asked.outcome.exit_code == 0);
    CHECK(asked.of({kCapture, kMedia, kPlayer}) == "");
    CHECK(asked.libraries.size() <= 24);
  }
}

TEST_CASE("streams of the test card are sent, received and played without libraries of capture, media or windows") {
  if (!loads_late()) return;
  const Folder folder;
  const Run sent = run(folder, "texcast send test pcap:s.pcap --frames 3 --size 64x64 --device cpu-reference");
  CHECK(sent.outcome.exit_code == 0);
  CHECK(sent.of({kCapture, kMedia, kPlayer}) == "");
  const Run played = run(folder, "texcast play pcap:s.pcap --no-window");
  CHECK(played.outcome.exit_code == 0);
  CHECK(played.outcome.out.find("3 frames") != std::string::npos);
  CHECK(played.of({kCapture, kMedia, kPlayer}) == "");
  const Run listened =
      run(folder, "texcast play rtp://127.0.0.1:" + std::to_string(free_port()) + " --no-window --timeout 0.1");
  CHECK(listened.outcome.err.starts_with("texcast: listening on"));
  CHECK(listened.of({kCapture, kMedia, kPlayer}) == "");
}

TEST_CASE("recordings load FFmpeg, and none of capture or windows") {
  if (!loads_late()) return;
  const Folder folder;
  const Run encoded = run(folder, "texcast encode test o.mov --frames 3 --size 64x64 --device cpu-reference");
  CHECK(encoded.outcome.exit_code == 0);
  CHECK(encoded.of({kMedia}) != "");
  const std::vector<std::string> devices = {"libavdevice.", "libavfilter.", "libpipewire-", "libavahi-", "libSDL2"};
  CHECK(encoded.of({devices}) == "");
}

TEST_CASE("if a library is missing, the command that needs it and doctor say in one line what to install") {
  if (!loads_late()) return;
  const Folder folder;
  // The loader takes this for the library, and finds it invalid.
  const std::string without =
      "cd '" + folder.file("") + "'\n: > " + device_library() + "\nexport LD_LIBRARY_PATH=$PWD\n";
  const std::string package = "libavdevice" + std::to_string(LIBAVDEVICE_VERSION_MAJOR);
  const Outcome encoded = shell(without + "\"$built\" encode lavfi:color o.mov --frames 1");
  CHECK(encoded.exit_code == 1);
  CHECK(encoded.err.starts_with("texcast: cannot load " + device_library() +
                                ", which is needed for cameras and other capture devices: "));
  CHECK(encoded.err.ends_with("install it, in Debian the package " + package + "\n"));
  CHECK(std::ranges::count(encoded.err, '\n') == 1);
  CHECK(shell(without + "\"$built\" encode test o.mov --frames 1 --size 64x64 --device cpu-reference").exit_code == 0);

  const auto report = nlohmann::json::parse(shell(without + "\"$built\" doctor --json").out);
  const auto& checks = report["checks"];
  const auto found = std::ranges::find_if(checks, [](const auto& check) { return check["check"] == "library"; });
  REQUIRE(found != checks.end());
  CHECK((*found)["health"] == "poor");
  CHECK((*found)["mend"] == "apt-get install " + package);
}
