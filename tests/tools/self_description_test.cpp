// Help, man page and completions are generated from one table; these tests check the results.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;

namespace {
const char* const kCommands[] = {"devices", "screens", "encode",  "decode", "send",   "play", "receive",    "info",
                                 "verify",  "join",    "recover", "bench",  "doctor", "man",  "completion", "list",
                                 "ctl",     "latency", "help",    "serve",  "relay",  "wall", "farm"};
}

TEST_CASE("the help of every subcommand fits a screen and has an example") {
  for (const std::string name : kCommands) {
    const Outcome help = shell("texcast " + name + " --help");
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    INFO(help.out);
    CHECK(std::count(help.out.begin(), help.out.end(), '\n') <= 80);
    CHECK(help.out.find("\nExample: ") != std::string::npos);
    for (size_t at = 0, end; (end = help.out.find('\n', at)) != std::string::npos; at = end + 1) CHECK(end - at <= 100);
  }
}

TEST_CASE("the man page has every subcommand and is well-formed roff") {
  const Outcome man = shell("texcast man");
  CHECK(man.exit_code == 0);
  for (const std::string name : kCommands) CHECK(man.out.find("\n.SS " + name + "\n") != std::string::npos);
  CHECK(man.out.find("ycocg\\-bc4") != std::string::npos);
  const Outcome rendered = shell("command -v groff > /dev/null || exit 77\ntexcast man | groff -man -Tutf8 -ww");
  if (rendered.exit_code == 77) {
    MESSAGE("SKIP: no groff here to render the man page");
    return;
  }
  CHECK(rendered.exit_code == 0);
  CHECK(rendered.err.empty());
}

TEST_CASE("bash completes subcommands, options and values") {
  const std::string setup =
      "eval \"$(texcast completion bash)\"\n"
      "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _texcast; echo \"${COMPREPLY[*]}\"; }\n";
  CHECK(shell(setup + "try texcast rece").out == "receive\n");
  CHECK(shell(setup + "try texcast send --lo").out == "--loop\n");
  CHECK(shell(setup + "try texcast send --for u").out == "ultragrid\n");
  CHECK(shell(setup + "try texcast send --for w").out == "wifi\n");
  CHECK(shell(setup + "try texcast encode a b --format ycocg-bc4-").out == "ycocg-bc4-422 ycocg-bc4-444\n");
  CHECK(shell(setup + "try texcast bench ker").out == "kernels\n");
  CHECK(shell(setup + "try texcast bench --source nv").out == "nv12\n");
  CHECK(shell(setup + "try texcast completion z").out == "zsh\n");
  CHECK(shell(setup + "try texcast help recei").out == "receive\n");
  CHECK(shell(setup + "try texcast devices --lo").out == "\n");
}

TEST_CASE("zsh and fish scripts name every subcommand; an unknown shell is refused") {
  for (const std::string shell_name : {"zsh", "fish"}) {
    const Outcome script = shell("texcast completion " + shell_name);
    CHECK(script.exit_code == 0);
    for (const std::string name : kCommands) CHECK(script.out.find(name) != std::string::npos);
  }
  CHECK(shell("texcast completion tcsh").exit_code == 2);
}

TEST_CASE("devices and doctor print the choice and problems as JSON") {
  const Outcome devices = shell("texcast devices --json");
  REQUIRE(devices.exit_code == 0);
  const auto list = nlohmann::json::parse(devices.out);
  REQUIRE(list["devices"].size() >= 1);
  CHECK_FALSE(list["reason"].get<std::string>().empty());
  const Outcome doctor = shell("texcast doctor --json");
  CHECK(doctor.exit_code == 0);
  CHECK(nlohmann::json::parse(doctor.out)["usable"] == true);
  const Outcome ill = shell("export OCL_ICD_VENDORS=/nonexistent; texcast doctor");
  CHECK(ill.exit_code == 3);
  CHECK(ill.out.find("apt-get install pocl-opencl-icd") != std::string::npos);
}

TEST_CASE("screens lists inputs that send and encode accept") {
  const Folder folder;
  const std::string screen =
      "cd '" + folder.path.string() +
      "'\nrm -f number\nXvfb -displayfd 3 -screen 0 320x200x24 -nolisten tcp -noreset 3> number 2> /dev/null &\n"
      "server=$!\nwhile [ ! -s number ] && kill -0 $server 2> /dev/null; do sleep 0.05; done\n"
      "[ -s number ] || exit 77\ntrap 'kill $server' EXIT\nexport DISPLAY=:$(cat number)\n";
  const Outcome listed = shell(screen + "texcast screens --json");
  if (listed.exit_code == 77) {
    MESSAGE("SKIP: no X server (Xvfb) to capture");
    return;
  }
  const auto first = nlohmann::json::parse(listed.out)["screens"].at(0);
  CHECK(first["kind"] == "monitor");
  CHECK(first["width"] == 320);
  CHECK(first["height"] == 200);
  const std::string input = first["input"];
  const Outcome encoded = shell(screen +
                                "texcast screens\n"
                                "texcast encode '" +
                                input + "' o.mov --frames 3 --cursor off --json");
  CHECK(encoded.out.find(input) == 0);
  const auto report = nlohmann::json::parse(encoded.out.substr(encoded.out.find('{')));
  CHECK(report["width"] == 320);
  CHECK(report["frames"] == 3);
}
