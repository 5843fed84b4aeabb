// `texcast farm` on a Slurm cluster of two nodes that the test starts (slurm-cluster.sh), and by GNU parallel: what the
// tasks encode is what one run encodes, also if tasks, nodes and the controller fail. Needs munge, Slurm and parallel.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

// Lines of shell: encode the same film and pictures as `one` run, and as `farm`. The program of the tasks is ./task,
// which says that it has begun, and waits for the file `go`.
const std::string kFunctions = R"(
film='test -t 4s --size 64x48 --fps 10 --coding compact --keyframe-interval 1s --device cpu-reference'
pictures='in --format bc1 --device cpu-reference'
make_inputs() {
  cat > task << 'END'
#!/bin/sh
echo $$ >> begun
while [ ! -e go ]; do sleep 0.05; done
if [ -e kill-one ] && rm kill-one; then kill -KILL 0; fi
exec "$built" "$@"
END
  chmod +x task
  mkdir in
  ffmpeg -v error -f lavfi -i testsrc2=size=20x16:rate=1 -frames:v 5 in/%d.png
  $built -q encode $film whole.mkv && $built -q encode $pictures --to whole
}
packets_of() {
  ffprobe -v error -show_packets -show_data_hash md5 -show_entries packet=pts,duration,size,flags,data_hash "$1"
}
same_film() { [ "$(packets_of whole.mkv)" = "$(packets_of "$1")" ];
}
until_begun() {
  until["$(wc -l < begun)" - ge "$1"];
  do sleep 0.05;
  done;
}
)";

// Runs `text` in the folder. It ends at the first command that fails, which the error output then shows.
Outcome in(const Folder& folder, const std::string& text, bool with_cluster) {
  const std::string cluster = ". '" TEXCAST_SLURM_CLUSTER "'\ntrap cluster_stop EXIT\ncluster_start \"$PWD/cluster\" " +
                              std::to_string(free_port()) + "\n";
  return shell("cd '" + folder.path.string() + "'\nexport built\n" + kFunctions +
               "make_inputs\ntouch begun go\nset -e\n" + (with_cluster ? cluster : "") + "set -x\n" + text);
}

void succeeds(const Folder& folder, const std::string& text, bool with_cluster) {
  const Outcome outcome = in(folder, text, with_cluster);
  CHECK_MESSAGE(outcome.exit_code == 0, outcome.out, outcome.err);
}

json report(const Folder& folder, const std::string& name) { return json::parse(read_file(folder.file(name))); }

}  // namespace

TEST_CASE("a film and pictures that Slurm's tasks encode are those of one run") {
  const Folder folder;
  succeeds(folder, R"(
    $built farm encode $film film.mkv --slurm --tasks 3 --program ./task --json > film.json
    same_film film.mkv
    [ ! -e film.mkv.farm ]
    touch kill-one
    $built farm encode $pictures --to out --slurm --tasks 2 --program ./task --json > pictures.json
    diff -r out whole
  )",
           true);
  const json film = report(folder, "film.json"), pictures = report(folder, "pictures.json");
  CHECK(film["engine"] == "Slurm");
  CHECK(film["tasks"] == 3);
  CHECK(film["frames"] == 40);
  CHECK(film["repeated"] == 0);
  // The task that was killed.
  CHECK(pictures["repeated"] == 1);
  CHECK(pictures["done"] == 2);
}

TEST_CASE("the controller of Slurm may restart while its tasks are followed, and an interrupted run is resumed") {
  const Folder folder;
  succeeds(folder, R"(
    rm go
    $built farm encode $film film.mkv --slurm --tasks 2 --program ./task --json > film.json &
    farm=$!
    until_begun 2
    cluster_restart_controller
    touch go
    wait $farm
    same_film film.mkv

    rm go
    $built farm encode $film second.mkv --slurm --tasks 4 --program ./task > interrupted.txt 2>&1 &
    farm=$!
    until_begun 4
    kill -INT $farm
    code=0
    wait $farm || code=$?
    [ $code = 130 ]
    [ ! -e second.mkv ]
    grep -q 'after 0 of 4 tasks; the others are cancelled, and the same command resumes' interrupted.txt
    touch go second.mkv.farm/store/none
    $built farm encode $film second.mkv --slurm --tasks 4 --json > second.json
    same_film second.mkv
    [ -z "$(squeue --noheader)" ]
  )",
           true);
  CHECK(report(folder, "film.json")["repeated"] == 0);
  CHECK(report(folder, "second.json")["done"] == 4);
}

TEST_CASE("a node of Slurm that disappears does not end the run") {
  const Folder folder;
  succeeds(folder, R"(
    rm go
    $built farm encode $film film.mkv --slurm --tasks 3 --program ./task --json > film.json &
    farm=$!
    until_begun 2
    cluster_lose_node n2
    touch go
    wait $farm
    same_film film.mkv
  )",
           true);
  CHECK(report(folder, "film.json")["done"] == 3);
}

TEST_CASE("a film and pictures that GNU parallel's tasks encode are those of one run") {
  const Folder folder;
  // As ssh, but on this machine: GNU parallel gives it a host, and words for its shell.
  succeeds(folder, R"(
    cat > ssh << 'END'
#!/bin/sh
host=$1
shift
[ "$1" != -- ] || shift
echo "$host" >> hosts-used
exec env -i SHELL=/bin/sh PATH="$PATH" HOME="$PWD" built="$built" sh -c "$*"
END
    chmod +x ssh
    export PARALLEL_SSH="$PWD/ssh"
    touch kill-one
    $built farm encode $film film.mkv --parallel :,studio --tasks 3 --program ./task --json > film.json
    same_film film.mkv
    grep -q studio hosts-used
    printf '# hosts\n2/:\n' > hosts
    $built farm encode $pictures --to out --parallel @hosts --tasks 2 --json > pictures.json
    diff -r out whole
  )",
           false);
  const json film = report(folder, "film.json");
  CHECK(film["engine"] == "GNU parallel");
  CHECK(film["done"] == 3);
  CHECK(report(folder, "pictures.json")["done"] == 2);
}

TEST_CASE("a task that fails for good is named with its message, and the others are done") {
  const Folder folder;
  succeeds(folder, R"(
    rm in/3.png
    mkdir in/3.png
    echo nothing > in/4.png
    code=0
    $built farm encode $pictures --to out --parallel : --tasks 5 --retries 1 > report.txt 2> error.txt || code=$?
    [ $code = 1 ]
    [ ! -e out ]
    grep -q '4.png' error.txt
    grep -q '1 of 4 tasks failed' error.txt
    cp in/2.png in/4.png
    $built farm encode $pictures --to out --parallel : --tasks 5 --json > again.json
    [ "$(ls out | wc -l)" = 4 ]
  )",
           false);
  CHECK(report(folder, "again.json")["found"] == 3);
}
