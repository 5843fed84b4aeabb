// work_folder.h — the folder that a run shares with its tasks, on storage that all machines see:
//
//     jobs.json     what is to be encoded
//     task.sh       encodes the share of one task; run as `task.sh NUMBER`, or by Slurm in an array job
//     name          the name of the run, by which Slurm's commands find its jobs
//     logs/N        messages of task N; each attempt begins with a line "# begins …" and ends with "# ended STATUS"
//     store/        results, under their ids
//     parts/        parts of a video: links to results
//     lock          held by the texcast that follows the tasks
//
// Not thread-safe. Members throw Error{failed} with the system's reason.
#pragma once

#include <optional>
#include <string>

#include "base/descriptor.h"

namespace texcast::farm {

class WorkFolder {
 public:
  // `path`: absolute. Creates the folder if it does not exist. Throws Error{usage} if another process holds its lock.
  explicit WorkFolder(const std::string& path);

  const std::string& path() const { return path_; }  // absolute
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& name() const { return name_; }  // "texcast-5f1c0a77d2e94b18": unlike those of other folders
  std::string log(int task) const;
  int lock() const { return lock_.get(); }  // the descriptor; a process that keeps it open holds the lock too

  // Replaces task.sh: it changes to the current folder and runs `command`, a line of shell in which $task is the
  // number.
  void write_script(const std::string& command) const;

  // How the last attempt of a task ended; none: it has not ended, as far as this machine sees.
  std::optional<int> exit_status(int task) const;
  // The engine's name of the host or node on which the last attempt began; empty: not known.
  std::string host(int task) const;
  // The last message of the last attempt, without the line that counts its failed jobs; empty: none.
  std::string last_message(int task) const;

  // Removes the folder and all in it.
  void remove();

 private:
  std::string path_, name_;
  Descriptor lock_;
};

}  // namespace texcast::farm
