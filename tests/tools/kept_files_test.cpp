// No command overwrites existing files unless it is asked to; unfinished recordings are continued.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "program.h"

using namespace texcast::test;

namespace {

const std::string kEncode = "texcast encode test --size 64x64 --device cpu-reference ";
const std::string kOther = "somebody else's file";

std::string in(const Folder& folder, const std::string& text, int* exit_code = nullptr) {
  const Outcome outcome = shell("cd '" + folder.path.string() + "'\n" + text);
  if (exit_code != nullptr) *exit_code = outcome.exit_code;
  INFO(text);
  if (exit_code == nullptr) CHECK(outcome.exit_code == 0);
  return outcome.err;
}

}  // namespace

TEST_CASE(
    "an existing output is refused before anything starts, replaced with --overwrite, or numbered with --number") {
  const Folder folder;
  in(folder, kEncode + "clip.mov --frames 4");
  for (const std::string& command : std::vector<std::string>{
           kEncode + "out.mov --frames 4", kEncode + "out.mkv --frames 4", kEncode + "out.dds --frames 1",
           kEncode + "out%03d.ktx2 --frames 4", std::string("texcast decode clip.mov out.y4m"),
           std::string("texcast decode clip.mov out.mp4"), std::string("texcast decode clip.mov out%03d.png"),
           std::string("texcast play clip.mov --offscreen --frames 1 --screenshot out.png"),
           std::string("texcast receive rtp://127.0.0.1:0 out.mov --timeout 0.1"),
           std::string("texcast play rtp://127.0.0.1:0 --no-window --record out.mov --timeout 0.1")}) {
    INFO(command);
    std::string taken = command.substr(command.find("out"));
    taken = taken.substr(0, taken.find(' '));
    if (const size_t at = taken.find("%03d"); at != std::string::npos) taken.replace(at, 4, "007");
    write_file(folder.file(taken), kOther);
    int exit_code = 0;
    const std::string said = in(folder, command, &exit_code);
    INFO(said);
    CHECK(exit_code == 1);
    CHECK(said.find("'" + taken + "' exists already") != std::string::npos);
    CHECK(said.find("--overwrite") != std::string::npos);
    CHECK(said.find("--number") != std::string::npos);
    CHECK(read_file(folder.file(taken)) == kOther);
    if (command.find("rtp://") == std::string::npos) {  // else there is no sender
      in(folder, command + " --number > /dev/null");
      CHECK(read_file(folder.file(taken)) == kOther);
      in(folder, command + " --overwrite > /dev/null");
      if (taken.find("007") == std::string::npos) CHECK(read_file(folder.file(taken)) != kOther);
    }
    in(folder, "rm -f out*");
  }
}

TEST_CASE("parts of a recording do not take names of existing files") {
  const Folder folder;
  write_file(folder.file("show-2.mov"), kOther);
  write_file(folder.file("show-4.mov"), kOther);
  in(folder,
     "texcast encode test show.mov --size 256x256 --device cpu-reference --frames 20 --snappy off --split 200k --json "
     "> report && texcast verify show.mov show-3.mov show-5.mov");
  CHECK(read_file(folder.file("show-2.mov")) == kOther);
  CHECK(read_file(folder.file("show-4.mov")) == kOther);
  CHECK(read_file(folder.file("report")).find("show-3.mov") != std::string::npos);
  CHECK(read_file(folder.file("report")).find("show-2.mov") == std::string::npos);
}

TEST_CASE("devices may be outputs, because they cannot be lost") {
  const Folder folder;
  in(folder,
     kEncode + "clip.mov --frames 4 && ln -s /dev/null null.y4m && texcast decode clip.mov null.y4m > /dev/null");
  CHECK(std::filesystem::is_symlink(folder.path / "null.y4m"));
}

TEST_CASE("a receiver that is killed and restarted loses nothing and continues") {
  const Folder folder;
  for (const std::string output : {"show.mov", "show.mkv", "show%05d.dds"}) {
    INFO(output);
    const std::string port = std::to_string(free_port());
    const std::string said =
        in(folder, "\"$program\" send test rtp://127.0.0.1:" + port +
                       " --size 64x64 --device cpu-reference --fec none > /dev/null 2>&1 &\nsender=$!\n"
                       "until_true() { for _ in $(seq 1000); do eval \"$1\" && return; sleep 0.02; done; }\n"
                       "size() { cat show* 2> /dev/null | wc -c; }\n"
                       "for round in 1 2 3; do\n  \"$built\" receive rtp://127.0.0.1:" +
                       port + " '" + output +
                       "' 2>> said &\n  receiver=$!\n"
                       "  until_true '[ $(grep -c listening said) = $round ]'; begun=$(size)\n"
                       "  until_true '[ $(size) -gt $((begun + 60000)) ]'\n"
                       "  kill -9 $receiver; wait $receiver 2> /dev/null\ndone\n"
                       "kill $sender; wait $sender\ncat said >&2\n");
    INFO(said);
    if (output.find('%') == std::string::npos) {
      const std::string extension = output.substr(4);
      CHECK(said.find("'" + output + "' was not closed and has been repaired") != std::string::npos);
      in(folder, "texcast verify show" + extension + " show-2" + extension + " > /dev/null");
      in(folder, "texcast recover show-3" + extension + " && texcast verify show-3" + extension + " > /dev/null");
      CHECK_FALSE(std::filesystem::exists(folder.file("show-4" + extension)));
    } else {
      CHECK(said.find("was interrupted and is continued") != std::string::npos);
      in(folder, "texcast verify '" + output + "' > /dev/null");
    }
    in(folder, "rm -f show* said");
  }
}
