// slurm.h — tasks as array jobs of Slurm, by sbatch, squeue, scancel and sinfo.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "farm/engine.h"
#include "farm/work_folder.h"

namespace texcast::farm {

// The largest number of a task: one less than Slurm's usual MaxArraySize.
inline constexpr int kMostSlurmTasks = 1000;

class Slurm final : public Engine {
 public:
  // `options`: words for sbatch, before those of texcast's own. Without one that names a GPU or --gres, each task has a
  // GPU if the cluster has some. `folder` must outlive this, and so
  // must `stop`, which ends commands that hang, but not cancel(); null: never. Throws Error{failed} if Slurm does not
  // answer.
  Slurm(const WorkFolder& folder, std::vector<std::string> options, const std::atomic<bool>* stop);

  std::string name() const override { return "Slurm"; }
  Result<void> start(const std::vector<int>& tasks) override;
  Result<QueueView> look() override;
  Result<void> cancel() override;
  bool repeats() const override { return false; }
  std::string handle() const override;

 private:
  Result<void> submit(const std::vector<int>& tasks, const std::string& avoided);
  bool already_has(const std::vector<int>& tasks);

  const WorkFolder& folder_;
  std::vector<std::string> options_;
  const std::atomic<bool>* const stop_;
  std::vector<std::string> jobs_;  // numbers of those that this process submitted
  bool uncertain_ = false;         // sbatch failed without saying whether the job was taken
};

}  // namespace texcast::farm
