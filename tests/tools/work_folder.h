// work_folder.h — a folder with pictures and videos, in which `texcast encode` runs.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

namespace texcast::test {

class WorkFolder {
 public:
  Outcome in(const std::string& text) const { return shell("cd '" + folder_.path.string() + "'\n" + text); }
  Outcome encode(const std::string& words) const { return in("texcast encode --device cpu-reference " + words); }
  Outcome done(const std::string& words) const {
    Outcome outcome = encode(words);
    CHECK_MESSAGE(outcome.exit_code == 0, words, outcome.err);
    return outcome;
  }
  // in/1.png, in/2.png …, of different sizes.
  void make_pictures(int count) const {
    std::string text = "mkdir in\n";
    for (int i = 1; i <= count; ++i)
      text += "ffmpeg -v error -f lavfi -i testsrc2=size=" + std::to_string(20 + 4 * i) + "x16 -frames:v 1 in/" +
              std::to_string(i) + ".png\n";
    REQUIRE(in(text).exit_code == 0);
  }
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string bytes(const std::string& name) const { return read_file(file(name)); }
  nlohmann::json manifest(const std::string& name) const { return nlohmann::json::parse(bytes(name)); }
  // The names of the files in a folder, sorted.
  std::vector<std::string> names(const std::string& folder) const {
    std::vector<std::string> found;
    if (std::filesystem::exists(file(folder)))
      for (const auto& entry : std::filesystem::directory_iterator(file(folder)))
        found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

 private:
  Folder folder_;
};

}  // namespace texcast::test
