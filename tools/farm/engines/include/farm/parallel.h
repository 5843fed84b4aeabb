// parallel.h — tasks on several machines by GNU parallel, which reaches them through ssh.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "farm/engine.h"
#include "farm/program.h"
#include "farm/work_folder.h"

namespace texcast::farm {

// "a,4/b,:" as GNU parallel's --sshlogin, or the lines of a file "@hosts" as its --sshloginfile. A host without a
// number before it has one task at a time. A Failure says what is wrong.
Result<std::vector<std::string>> parse_hosts(std::string_view text);

// How tasks ended by the log of jobs (--joblog), whose command ends with the task's number: "COMPLETED" if all is well.
std::map<int, std::string> parse_job_log(std::string_view text);

class Parallel final : public Engine {
 public:
  // `retries`: how often a task that failed is repeated, on another host if there is one. `folder` must outlive this.
  // Throws Error{failed} if GNU parallel is not there.
  Parallel(const WorkFolder& folder, std::vector<std::string> hosts, int retries);

  std::string name() const override { return "GNU parallel"; }
  // Call it once. Tasks that avoid different hosts run one after the other.
  Result<void> start(const std::vector<int>& tasks) override;
  // GNU parallel does not say which tasks run: all that have not ended count as running.
  Result<QueueView> look() override;
  Result<void> cancel() override;
  bool repeats() const override { return true; }
  std::string handle() const override { return ""; }

 private:
  void start_next();
  std::vector<std::string> hosts_without(const std::string& avoided) const;

  const WorkFolder& folder_;
  std::vector<std::string> hosts_;
  int retries_;
  std::vector<int> tasks_;
  std::map<std::string, std::vector<int>> waiting_;  // by the host that they avoid
  std::optional<RunningProgram> program_;
};

}  // namespace texcast::farm
