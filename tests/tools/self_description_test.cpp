// Help, man page and completions all come from one table; these look at what people and shells get.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;

namespace {
const char* const kCommands[] = {"devices", "encode",  "decode", "send",   "play", "receive",   "info",
                                 "verify",  "recover", "bench",  "doctor", "man",  "completion"};
}

TEST_CASE("the help of every subcommand fits a screen and has an example") {
  for (const std::string name : kCommands) {
    const Outcome help = shell("texcast " + name + " --help");
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    INFO(help.out);
    CHECK(std::count(help.out.begin(), help.out.end(), '\n') <= 48);
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
  CHECK(shell(setup + "try texcast encode a b --format ycocg-bc4-").out == "ycocg-bc4-422 ycocg-bc4-444\n");
  CHECK(shell(setup + "try texcast bench ker").out == "kernels\n");
  CHECK(shell(setup + "try texcast bench --source nv").out == "nv12\n");
  CHECK(shell(setup + "try texcast completion z").out == "zsh\n");
  CHECK(shell(setup + "try texcast devices --lo").out == "\n");
}

TEST_CASE("the other shells' scripts name every subcommand; an unknown shell is refused") {
  for (const std::string shell_name : {"zsh", "fish"}) {
    const Outcome script = shell("texcast completion " + shell_name);
    CHECK(script.exit_code == 0);
    for (const std::string name : kCommands) CHECK(script.out.find(name) != std::string::npos);
  }
  CHECK(shell("texcast completion tcsh").exit_code == 2);
}

TEST_CASE("devices and doctor give JSON that says what is chosen and what is wrong") {
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
