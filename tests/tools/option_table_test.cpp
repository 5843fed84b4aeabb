#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "fake_commands.h"
#include "temporary_folder.h"
#include "texcast/error.h"
#include "text/verbosity.h"

using texcast::cli::run_command_line;
using texcast::test::Said;

namespace {
// The config file of the user who runs the tests is not read.
const bool kNoOptionsOfOthers = setenv("XDG_CONFIG_HOME", "/nonexistent", 1) == 0;

int run(std::vector<const char*> words) {
  REQUIRE(kNoOptionsOfOthers);
  words.insert(words.begin(), "texcast");
  return run_command_line(static_cast<int>(words.size()), words.data(), texcast::test::fake_commands());
}
}  // namespace

TEST_CASE("usage errors are exit code 2, before anything is opened") {
  CHECK(run({}) == 2);
  CHECK(run({"frobnicate"}) == 2);
  CHECK(run({"encode"}) == 2);
  CHECK(run({"encode", "in"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "surplus"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--no-such-option"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--frames", "0"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--frames", "many"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--format"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--format", "bc99"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--method", "lspiro2", "--passes", "0"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--method", "lspiro3", "--radius", "5"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--snappy", "perhaps"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--chunks", "65"}) == 2);
  CHECK(run({"encode", "in", "out.mov", "--layout", "hapm"}) == 2);
  CHECK(run({"send", "in", "rtp://h", "--mtu", "100"}) == 2);
  CHECK(run({"send", "in", "rtp://h", "--ttl", "256"}) == 2);
  CHECK(run({"send", "in", "rtp://h", "--start-when", "soon"}) == 2);
  CHECK(run({"doctor", "--prepare", "--format", "bc99"}) == 2);
  CHECK(run({"play", "rtp://", "--no-window", "--offscreen"}) == 2);
}

TEST_CASE("help and version succeed") {
  CHECK(run({"--help"}) == 0);
  CHECK(run({"--version"}) == 0);
  CHECK(run({"help"}) == 0);
  CHECK(run({"help", "send"}) == 0);
  CHECK(run({"send", "-h"}) == 0);
  CHECK_THROWS_WITH(run({"help", "sned"}), "'sned' is not a subcommand; did you mean send? (see: texcast help)");
  for (const char* name : {"devices", "screens", "encode", "decode", "send", "play", "receive", "serve", "relay",
                           "info", "verify", "bench", "doctor", "wall", "man", "completion"})
    CHECK(run({name, "--help"}) == 0);
}

TEST_CASE("options reach their subcommand") {
  Said& said = texcast::test::said();
  said = {};
  CHECK(run({"encode", "in.mp4", "out.mov", "--frames", "7", "--format", "ycocg-bc4", "--device", "pocl", "--snappy",
             "off", "--chunks", "12", "--layout", "planes"}) == 0);
  CHECK(said.command == "encode");
  CHECK(said.encode.input.input == "in.mp4");
  CHECK(said.encode.output == "out.mov");
  CHECK(said.encode.input.frames == 7);
  CHECK(said.encode.encoding.format == texcast::TextureFormat::ycocg_bc4_420);
  CHECK(said.encode.encoding.device == "pocl");
  CHECK(said.encode.packing.snappy == std::optional(false));
  CHECK(said.encode.packing.chunks == 12);
  CHECK(said.encode.packing.layout == texcast::RecordingLayout::planes);
  CHECK(run({"send", "in", "rtp://h"}) == 0);
  CHECK_FALSE(said.send.plain);
  CHECK_FALSE(said.send.purpose);
  CHECK_FALSE(said.send.refresh_seconds);
  CHECK_FALSE(said.send.retransmit);
  CHECK_FALSE(said.send.start_when);
  CHECK(run({"send", "in", "rtp://h", "--start", "10", "--start-when", "now"}) == 0);
  CHECK(said.send.start_when == texcast::cli::StartWhen::now);
  CHECK(run({"send", "in", "rtp://h", "--start-when", "ready"}) == 0);
  CHECK(said.send.start_when == texcast::cli::StartWhen::ready);
  CHECK(run({"doctor", "--prepare", "--format", "ycocg-bc4", "--device", "pocl"}) == 0);
  CHECK(said.doctor.prepare);
  CHECK(said.doctor.format == texcast::TextureFormat::ycocg_bc4_420);
  CHECK(said.doctor.encoding.device == "pocl");
  CHECK(run({"send", "in", "rtp://h", "--plain", "--for", "ultragrid", "--refresh", "2.5", "--retransmit", "off"}) ==
        0);
  CHECK(said.send.plain);
  CHECK(said.send.purpose == texcast::cli::Purpose::ultragrid);
  CHECK(said.send.refresh_seconds == 2.5);
  CHECK(said.send.retransmit == false);
  CHECK(run({"play", "rtp://", "--record", "a.mov", "--max-files", "7"}) == 0);
  CHECK(said.play.stream.packing.max_files == 7);
  CHECK(run({"play", "a.mov", "b.mov", "c.mov", "--loop", "--scale", "1:1", "--speed", "0.5", "--volume", "30",
             "--monitor", "2", "--mute"}) == 0);
  CHECK(said.play.sources == std::vector<std::string>{"a.mov", "b.mov", "c.mov"});
  CHECK(said.play.loop);
  CHECK(said.play.mute);
  CHECK(said.play.scale == texcast::player::ScaleMode::exact);
  CHECK(said.play.speed == 0.5);
  CHECK(said.play.volume == 0.3);
  CHECK(said.play.monitor == 2);
}

TEST_CASE("an option that is given twice is refused, and nothing runs") {
  Said& said = texcast::test::said();
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"encode", "in", "out.mov", "--frames", "1", "--frames", "2"},
                                             {"encode", "in", "out.mov", "--json", "--json"},
                                             {"play", "a.mov", "--screenshot", "a.png", "--screenshot=b.png"},
                                             {"recover", "a.mov", "-o", "b.mov", "--output", "c.mov"},
                                             {"bench", "--tune", "--tune"},
                                             {"encode", "in", "out.mov", "--format", "bc99", "--format", "bc1"}}) {
    said = {};
    CAPTURE(words.back());
    CHECK(run(words) == 2);
    CHECK(said.command.empty());
  }
}

TEST_CASE("encode takes the last word for its output, or all words for inputs with --to") {
  Said& said = texcast::test::said();
  said = {};
  CHECK(run({"encode", "in.png", "--format", "bc7", "out.dds"}) == 0);
  CHECK(said.encode.inputs == std::vector<std::string>{"in.png"});
  CHECK(said.encode.input.input == "in.png");
  CHECK(said.encode.output == "out.dds");
  CHECK(run({"encode", "a.png", "b.png", "--to", "out", "c.png", "--ext", ".DDS"}) == 0);
  CHECK(said.encode.inputs == std::vector<std::string>{"a.png", "b.png", "c.png"});
  CHECK(said.encode.input.input == "a.png");
  CHECK(said.encode.given->input.input == "a.png");
  CHECK(said.encode.output.empty());
  CHECK(said.encode.to == "out");
  CHECK(said.encode.extension == ".dds");
  CHECK(run({"encode", "a.png", "--to", "out"}) == 0);
  CHECK(run({"encode", "--to", "out"}) == 2);
  CHECK(run({"encode", "a.png", "--to", "out", "--ext", "mov"}) == 2);
}

TEST_CASE("after -- every word is an argument") {
  Said& said = texcast::test::said();
  said = {};
  CHECK(run({"encode", "--frames", "7", "--", "-in.mp4", "--json"}) == 0);
  CHECK(said.encode.input.input == "-in.mp4");
  CHECK(said.encode.output == "--json");
  CHECK_FALSE(said.encode.json);
  CHECK(run({"encode", "in.mp4", "--", "-o.mov"}) == 0);
  CHECK(said.encode.output == "-o.mov");
  CHECK(run({"play", "a.mov", "--loop", "--", "-b.mov", "--", "c.mov"}) == 0);
  CHECK(said.play.sources == std::vector<std::string>{"a.mov", "-b.mov", "--", "c.mov"});
  CHECK(run({"play", "a.mov", "--"}) == 0);
  CHECK(run({"encode", "in.mp4", "out.mov", "--", "--json"}) == 2);  // one argument too many
  CHECK(run({"encode", "--"}) == 2);
}

namespace {

// Runs with a config file. Returns the exit code, or the message of the Error.
std::string with_config(const std::string& text, std::vector<const char*> words) {
  const texcast::test::TemporaryFolder folder;
  const std::string path = folder.file("c.toml");
  std::ofstream(path) << text;
  words.push_back("--config");
  words.push_back(path.c_str());
  texcast::test::said() = {};
  try {
    return std::to_string(run(words));
  } catch (const texcast::Error& error) {
    CHECK(static_cast<int>(error.kind()) == 2);
    const std::string message = error.what();
    return message.starts_with(path) ? message.substr(path.size()) : message;
  }
}

}  // namespace

TEST_CASE("options come from a file, only those of the subcommand; the command line overrides it") {
  const Said& said = texcast::test::said();
  const std::string text =
      "# of the desk\n[send]\nquality = \"best\"\nloop = true\nplain = false\nnumber = true\n\n"
      "[play]\nvolume = 30\nmute = true\nfrom = [\"10.0.0.1\", \"10.0.0.2\"]\nlatency = 20\n";
  CHECK(with_config(text, {"send", "test", "rtp://h"}) == "0");
  CHECK(said.send.encoding.quality == texcast::Quality::best);
  CHECK(said.send.input.loop);
  CHECK_FALSE(said.send.plain);
  CHECK(said.send.if_exists == texcast::IfExists::number);
  REQUIRE(said.send.given);
  CHECK(said.send.given->encoding.quality == texcast::Quality::fast);  // by the command line alone
  CHECK(with_config(text, {"send", "test", "rtp://h", "--quality", "high", "--overwrite"}) == "0");
  CHECK(said.send.encoding.quality == texcast::Quality::high);
  CHECK(said.send.if_exists == texcast::IfExists::overwrite);
  CHECK(with_config(text, {"play", "rtp://:5004"}) == "0");
  CHECK(said.play.volume == 0.3);
  CHECK(said.play.mute);
  CHECK(said.play.stream.from == std::vector<std::string>{"10.0.0.1", "10.0.0.2"});
  CHECK(with_config(text, {"encode", "a", "b.mov"}) == "0");
  CHECK(with_config("", {"info", "a"}) == "0");
  CHECK(with_config("[send]   # of the desk\nquality = \"high\" # not \"best\"\n", {"send", "test", "rtp://h"}) == "0");
  CHECK(said.send.encoding.quality == texcast::Quality::high);
  CHECK(with_config("send.quality = \"best\"\n", {"send", "test", "rtp://h"}) == "0");
  CHECK(said.send.encoding.quality == texcast::Quality::best);
}

TEST_CASE("a byte order mark before the options is skipped") {
  const Said& said = texcast::test::said();
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(with_config(mark + "[send]\nquality = \"best\"\n", {"send", "test", "rtp://h"}) == "0");
  CHECK(said.send.encoding.quality == texcast::Quality::best);
  CHECK(with_config(mark + "verbose = true\n", {"play", "rtp://"}) == "0");
  CHECK(with_config(mark, {"play", "rtp://"}) == "0");
  CHECK(with_config(mark + "[send]\nqualitty = 1\n", {"send", "test", "rtp://h"}).starts_with(":2: 'qualitty' is not"));
  CHECK(run({"play", "rtp://"}) == 0);
}

TEST_CASE("the null device is an empty config file") { CHECK(run({"play", "rtp://", "--config", "/dev/null"}) == 0); }

TEST_CASE("errors in a config file are reported with the line, also if another subcommand runs") {
  struct Row {
    std::string text, message;  // with file and line
  };
  for (const Row& row : std::initializer_list<Row>{
           {"[send]\nquality = \"best\"\nqualitty = 1\n", ":3: 'qualitty' is not an option of texcast send"},
           {"[send]\nqualty = 1\n", ":2: 'qualty' is not an option of texcast send; did you mean quality?"},
           {"\n[sned]\nquality = \"best\"\n", ":2: 'sned' is not a subcommand; did you mean send?"},
           {"# one\n[send]\nquality \"high\"\n", ":3: 'quality \"high\"' is not an option of texcast send"},
           {"\n[send\nquality = \"high\"\n", ":2: '[send' is not an option of all subcommands"},
           {"[play] # a comment\nvolume = 300\n", ":2: 'volume': "},
           {"[ \"play\" ]\nmute = true # on\nvolume = 300 # loud\n", ":3: 'volume': "},
           {"[play]\nvolume = 300\n[encode]\n", ":2: 'volume': "},
           {"[play]\nvolume = 1\n\nvolume = 2\n", ":2: 'volume' is given twice"},
           {"[play]\nmute = \"perhaps\"\n", ":2: 'mute': "},
           {"volume = 3\n", ":1: 'volume' is not an option of all subcommands"},
           {"[play]\nverbose = true\n", ":2: 'verbose' is not an option of texcast play"},
           {"[play]\nconfig = \"x\"\n", ":2: 'config' is not an option"},
           {"[play.more]\nvolume = 1\n", ":1: 'play.more' is not a subcommand"},
           {"[play]\nSOURCE = \"x\"\n", ":2: 'SOURCE' is not an option"},
           {"[play]\nnonsense\n", ":2: 'nonsense' is not an option"}}) {
    CAPTURE(row.text);
    const std::string got = with_config(row.text, {"play", "rtp://"});
    CHECK_MESSAGE(got.starts_with(row.message), got);
    CHECK(texcast::test::said().command.empty());
  }
  CHECK(with_config("[send]\nnothing = 1\n", {"play", "rtp://"}).starts_with(":2: "));
  CHECK(with_config("[send]\nnothing = 1\n", {"man", "--no-config"}) == "2");  // --config excludes --no-config
  CHECK(run({"play", "rtp://", "--no-config"}) == 0);
  CHECK_THROWS_AS(run({"play", "rtp://", "--config", "/nonexistent.toml"}), texcast::Error);
}

TEST_CASE("-v and -q work with every subcommand, before and after its name") {
  using texcast::Verbosity;
  CHECK(run({"play", "rtp://", "-v"}) == 0);
  CHECK(texcast::verbosity() == Verbosity::verbose);
  CHECK(run({"-q", "play", "rtp://"}) == 0);
  CHECK(texcast::verbosity() == Verbosity::quiet);
  CHECK(with_config("verbose = true\n", {"play", "rtp://"}) == "0");
  CHECK(texcast::verbosity() == Verbosity::verbose);
  CHECK(with_config("verbose = true\n", {"play", "rtp://", "--quiet"}) == "0");
  CHECK(texcast::verbosity() == Verbosity::quiet);
  CHECK(run({"play", "rtp://", "-q", "-v"}) == 2);
  CHECK(run({"play", "rtp://"}) == 0);
  CHECK(texcast::verbosity() == Verbosity::normal);
}

TEST_CASE("ctl accepts words and negative numbers") {
  const Said& said = texcast::test::said();
  CHECK(run({"ctl", "/tmp/s", "seek", "-5"}) == 0);
  CHECK(said.ctl.words == std::vector<std::string>{"seek", "-5"});
  CHECK(run({"ctl", "/tmp/s", "set", "volume", "50", "--json"}) == 0);
  CHECK(said.ctl.words == std::vector<std::string>{"set", "volume", "50"});
  CHECK(said.ctl.json);
  CHECK(run({"ctl", "/tmp/s"}) == 2);
  CHECK(run({"ctl", "/tmp/s", "get", "--nonsense"}) == 2);
}

TEST_CASE("every texcast command line in README.md and the guides is valid") {
  size_t lines = 0;
  for (const char* file : {"README.md", "docs/manual.md", "docs/streaming.md", "docs/recording.md", "docs/textures.md",
                           "docs/control.md", "docs/wayland.md", "docs/kiosk.md", "docs/wall.md"}) {
    std::ifstream document(std::string(TEXCAST_SOURCE_DIR "/") + file);
    REQUIRE(document);
    for (std::string line; std::getline(document, line);) {
      if (!line.starts_with("    texcast ")) continue;
      CAPTURE(file);
      CAPTURE(line);
      std::istringstream text(line.substr(0, line.find('#')));
      std::vector<std::string> words;
      for (std::string word; text >> std::quoted(word, '\'') && word != "|" && word != ">";)  // of the shell
        if (word != "&") words.push_back(word);
      std::vector<const char*> arguments;
      for (const std::string& word : words) arguments.push_back(word.c_str());
      CHECK(run_command_line(static_cast<int>(arguments.size()), arguments.data(), texcast::test::fake_commands()) ==
            0);
      ++lines;
    }
  }
  CHECK(lines >= 80);
}

TEST_CASE("options of walls reach play and wall") {
  const Said& said = texcast::test::said();
  CHECK(run({"play", "rtp://", "--clock", "system", "--delay", "80", "--part", "2,1 of 4x3", "--bezel", "9"}) == 0);
  CHECK(said.play.clock == texcast::cli::PlayClock::system);
  CHECK(said.play.delay == std::chrono::milliseconds(80));
  CHECK(said.play.part->cell->columns == 4);
  CHECK(said.play.bezel->height == 9);
  CHECK(run({"wall", "--players", "a,b", "--interval", "2", "--json"}) == 0);
  CHECK(said.wall.players == std::vector<std::string>{"a", "b"});
  CHECK(said.wall.interval == std::chrono::seconds(2));
  CHECK(run({"wall"}) == 2);  // without players
}
