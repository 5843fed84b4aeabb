#include "reached_objects.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace texcast::test {

ReachedObjects::ReachedObjects(const std::string& list) {
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, first, word;
    words >> what >> first;
    if (what == "object") {
      std::string hash, path;
      words >> hash >> path;
      objects_[first].line = "object " + path + " " + hash + "\n";
    } else if (what == "data") {
      words >> word;
      objects_[first].data_files.push_back(word);
    } else if (what == "reach") {
      auto& numbers = reached_[std::filesystem::path(first).filename().string()];
      while (words >> word) numbers.push_back(word);
    }
  }
}

std::optional<ReachedObjects::Reached> ReachedObjects::of(const std::string& source_file) const {
  const auto numbers = reached_.find(std::filesystem::path(source_file).filename().string() + ".o");
  if (numbers == reached_.end()) return std::nullopt;
  std::vector<std::string> lines;
  Reached reached;
  for (const std::string& number : numbers->second) {
    const auto object = objects_.find(number);
    if (object == objects_.end()) return std::nullopt;
    lines.push_back(object->second.line);
    for (const std::string& name : object->second.data_files) reached.data_files.push_back(name);
  }
  std::ranges::sort(lines);
  for (const std::string& line : lines) reached.objects += line;
  std::ranges::sort(reached.data_files);
  reached.data_files.erase(std::unique(reached.data_files.begin(), reached.data_files.end()), reached.data_files.end());
  return reached;
}

}  // namespace texcast::test
