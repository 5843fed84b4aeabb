// Output of Slurm and GNU parallel is read within bounds; programs are run and ended.
#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "check_error.h"
#include "farm/parallel.h"
#include "farm/program.h"
#include "farm/work_folder.h"
#include "slurm_queue.h"
#include "temporary_folder.h"

using namespace texcast;
using namespace texcast::farm;
using texcast::test::check_error;

namespace {

constexpr ProgramLimits kLimits{.time = std::chrono::minutes(5), .bytes = 1 << 20};

std::string error_of(const std::string& text) {
  const auto view = parse_queue(text);
  return view ? "" : view.error().message;
}

}  // namespace

TEST_CASE("squeue's lines say which tasks wait, run and have ended") {
  const auto view = parse_queue(
      "1|COMPLETED|17|None\n2|RUNNING|18|None\n3|COMPLETING|19|None\n4|PENDING|17|Resources\n"
      "5|REQUEUE_HOLD|20|launch failed | held\n6|OUT_OF_MEMORY|21|OutOfMemory\n");
  REQUIRE(view);
  CHECK(view->running == std::set<int>{2, 3});
  CHECK(view->waiting == std::set<int>{4, 5});
  CHECK(view->ended == std::map<int, std::string>{{1, "COMPLETED"}, {6, "OUT_OF_MEMORY"}});
  CHECK(view->why_waiting == "launch failed | held");
}

TEST_CASE("a task that was submitted again is in the state of its last job") {
  const auto view =
      parse_queue("1|FAILED|9|x\n1|RUNNING|12|None\n2|COMPLETED|13|None\n2|FAILED|10|x\n3|PENDING|3|x\n3|FAILED|5|x");
  REQUIRE(view);
  CHECK(view->running == std::set<int>{1});
  CHECK(view->ended == std::map<int, std::string>{{2, "COMPLETED"}});
  CHECK(view->waiting == std::set<int>{3});
}

TEST_CASE("tasks that were cancelled before they were jobs have no line of their own") {
  const auto view = parse_queue("N/A|CANCELLED|3|Resources\n2|RUNNING|4|None");
  REQUIRE(view);
  CHECK(view->running == std::set<int>{2});
  CHECK(view->ended.empty());
}

TEST_CASE("other lines than squeue's are an error") {
  CHECK(error_of("") == "");
  for (const char* text : {"slurm_load_jobs error", "1|RUNNING", "x|RUNNING|1|None", "-1|RUNNING|1|None",
                           "1|RUNNING|1x|None", "1||1|None", "99999999999|RUNNING|1|None"})
    CHECK_MESSAGE(error_of(text).starts_with("squeue printed '"), text);
  CHECK(error_of(std::string(100'000, 'x')).size() < 200);
}

TEST_CASE("hosts have one task at a time unless a number says otherwise") {
  const auto hosts = parse_hosts(":, a,4/b@c,/usr/bin/ssh d");
  REQUIRE(hosts);
  CHECK(*hosts == std::vector<std::string>{"1/:", "1/a", "4/b@c", "1//usr/bin/ssh d"});
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("hosts")) << "# two machines\na\n\n  2/b  \r\n";
  const auto from_file = parse_hosts("@" + folder.file("hosts"));
  REQUIRE(from_file);
  CHECK(*from_file == std::vector<std::string>{"1/a", "2/b"});
  CHECK_FALSE(parse_hosts(""));
  CHECK_FALSE(parse_hosts(",,"));
  CHECK_FALSE(parse_hosts("@" + folder.file("none")));
}

TEST_CASE("the log of GNU parallel says how each task ended") {
  const std::string title = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
  CHECK(parse_job_log(title + "1\t:\t1.5\t0.2\t0\t0\t0\t0\t/w/task.sh 7\n2\th\t1.5\t0.2\t0\t0\t3\t0\t'/w x/task.sh' 8\n"
                              "3\th\t1.5\t0.2\t0\t0\t0\t9\ttask.sh 9\n") ==
        std::map<int, std::string>{{7, "COMPLETED"}, {8, "exit status 3, signal 0"}, {9, "exit status 0, signal 9"}});
  for (const char* text : {"", "1\t2", "1\t:\t1\t1\t0\t0\t\t0\ttask.sh 1", "1\t:\t1\t1\t0\t0\t0\t0\ttask.sh x"})
    CHECK(parse_job_log(title + text).empty());
}

TEST_CASE("a program's output and exit status are returned") {
  const auto result = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"}, kLimits);
  REQUIRE(result);
  CHECK(result->status == 3);
  CHECK(result->out == "out\n");
  CHECK(result->err == "err\n");
  const auto killed = run_program({"sh", "-c", "kill -9 $$"}, kLimits);
  REQUIRE(killed);
  CHECK(killed->status == 128 + SIGKILL);
}

TEST_CASE("a program that does not exist, prints without end or hangs is a failure") {
  CHECK(run_program({"texcast-no-such-program"}, kLimits).error().message ==
        "cannot run 'texcast-no-such-program': No such file or directory");
  CHECK(run_program({"yes"}, kLimits).error().message == "'yes': it printed more than 1048576 bytes");
  const auto hung =
      run_program({"sh", "-c", "exec sleep 600"}, {.time = std::chrono::milliseconds(10), .bytes = 1 << 20});
  CHECK(hung.error().message == "'sh': it did not end in time");
  const auto closed = run_program({"sh", "-c", "exec > /dev/null 2>&1; exec sleep 600"},
                                  {.time = std::chrono::milliseconds(50), .bytes = 1 << 20});
  CHECK(closed.error().message == "'sh': it did not end in time");
}

TEST_CASE("a program that hangs is ended by an interrupt") {
  const std::atomic<bool> stop = true;
  const auto ended = run_program({"sleep", "600"}, {.time = kLimits.time, .bytes = 1, .stop = &stop});
  CHECK(ended.error().message == "'sleep': interrupted");
}

TEST_CASE("programs have the default actions of signals that texcast ignores") {
  signal(SIGPIPE, SIG_IGN);
  const auto result = run_program({"sh", "-c", "kill -PIPE $$; echo alive"}, kLimits);
  signal(SIGPIPE, SIG_DFL);
  REQUIRE(result);
  CHECK(result->status == 128 + SIGPIPE);
}

TEST_CASE("a word of a shell survives it") {
  const std::string text = "a'b \"$c\" \\ \n*";
  const auto result = run_program({"sh", "-c", "printf %s " + shell_word(text)}, kLimits);
  REQUIRE(result);
  CHECK(result->out == text);
}

TEST_CASE("the script of a work folder logs how its task ended") {
  const test::TemporaryFolder place;
  const WorkFolder folder(place.file("it's work"));
  folder.write_script("echo \"task $task\"; (exit \"$task\")");
  CHECK_FALSE(folder.exit_status(3));
  for (const std::string task : {"3", "0"}) {
    const auto run = run_program({folder.file("task.sh"), task}, kLimits);
    REQUIRE(run);
    CHECK(std::to_string(run->status) == task);
    CHECK(folder.exit_status(std::stoi(task)) == std::stoi(task));
    CHECK(folder.last_message(std::stoi(task)) == "task " + task);
  }
  std::ofstream(folder.log(3), std::ios::app) << "# begins on b\n";
  CHECK_FALSE(folder.exit_status(3));
  CHECK(folder.last_message(3) == "");
  std::ofstream(folder.log(5))
      << "# begins on b\ntexcast: the disk is full\n\ntexcast: 1 of 2 jobs failed: a\n# ended 1\n";
  CHECK(folder.last_message(5) == "the disk is full");
  for (const char* end : {"# ended \n", "# ended x\n", "# ended 12345\n", "# ended -1\n"}) {
    std::ofstream(folder.log(4)) << "# begins on b\n" << end;
    CHECK_FALSE(folder.exit_status(4));
  }
}

TEST_CASE("one process works in a work folder, whose name stays") {
  const test::TemporaryFolder place;
  std::string name;
  {
    const WorkFolder folder(place.file("work"));
    name = folder.name();
    check_error(ErrorKind::usage, "another process works in", [&] { const WorkFolder second(place.file("work")); });
  }
  CHECK(name.size() == 24);
  CHECK(WorkFolder(place.file("work")).name() == name);
  CHECK(WorkFolder(place.file("other")).name() != name);
}
