// engine.h — what runs tasks on other machines: Slurm or GNU parallel.
//
// Tasks have numbers from 1 on, and run the script of a work folder (work_folder.h) with their number. Engines run the
// commands of those programs; they are not thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace texcast::farm {

inline constexpr const char* kCancelled = "CANCELLED";  // a person has ended the task, who does not want it repeated

// The tasks as the engine sees them.
struct QueueView {
  std::set<int> waiting{}, running{};
  std::map<int, std::string> ended{};  // how tasks ended, in the engine's words: "COMPLETED", "NODE_FAIL"
  std::string why_waiting{};           // of one of them, in the engine's words; may be empty

  bool knows(int task) const { return waiting.contains(task) || running.contains(task); }
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  // "Slurm"
  // Before start(): the task must not run on this host, which WorkFolder::host() has named. If there is no other one,
  // it runs there nevertheless, after a warning.
  void avoid(int task, const std::string& host) { avoided_[task] = host; }
  // Starts these tasks. A Failure may pass: try again. Throws Error for one that stays (an unknown partition).
  virtual Result<void> start(const std::vector<int>& tasks) = 0;
  // The view includes tasks that an earlier process started in this work folder. A Failure may pass: try again.
  virtual Result<QueueView> look() = 0;
  // Ends all tasks. A Failure says why some may go on.
  virtual Result<void> cancel() = 0;
  // Whether it repeats failed tasks by itself.
  virtual bool repeats() const = 0;
  // The handle by which its own commands know the work, for people: "job 17"; empty: there is none.
  virtual std::string handle() const = 0;

 protected:
  // The tasks by the host that they avoid; an empty one for those that avoid none.
  std::map<std::string, std::vector<int>> by_avoided_host(const std::vector<int>& tasks) const;

 private:
  std::map<int, std::string> avoided_;
};

}  // namespace texcast::farm
