#include "farm/engine.h"

namespace texcast::farm {

std::map<std::string, std::vector<int>> Engine::by_avoided_host(const std::vector<int>& tasks) const {
  std::map<std::string, std::vector<int>> groups;
  for (const int task : tasks) {
    const auto host = avoided_.find(task);
    groups[host == avoided_.end() ? "" : host->second].push_back(task);
  }
  return groups;
}

}  // namespace texcast::farm
