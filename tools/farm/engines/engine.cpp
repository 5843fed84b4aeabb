#include "farm/engine.h"

namespace texcast::farm {

std::map<std::string, std::vector<int>> by_avoided_host(const std::vector<int>& tasks,
                                                        const std::map<int, std::string>& avoided) {
  std::map<std::string, std::vector<int>> groups;
  for (const int task : tasks) {
    const auto host = avoided.find(task);
    groups[host == avoided.end() ? "" : host->second].push_back(task);
  }
  return groups;
}

}  // namespace texcast::farm
