// `texcast farm` on a Slurm cluster of two nodes that the test starts (slurm-cluster.sh), and by GNU parallel: the
// tasks encode the same as one run (farm-inputs.sh), also if tasks or the controller fail. Needs munge, Slurm and
// parallel.
// ./slurm-farm, by hand, has cases that take minutes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

// Runs `text` in the folder, with the inputs of farm-inputs.sh. It ends at the first command that fails, which the
// error output then shows.
Outcome in(const Folder& folder, const std::string& text, bool with_cluster) {
  const std::string cluster = ". '" TEXCAST_TOOL_TESTS
                              "/slurm-cluster.sh'\ntrap cluster_stop EXIT\ncluster_start \"$PWD/cluster\" " +
                              std::to_string(free_port()) + "\n";
  return shell("cd '" + folder.path.string() +
               "'\nexport built\n. '" TEXCAST_TOOL_TESTS
               "/farm-inputs.sh'\n"
               "make_inputs\ntouch begun go\nset -e\n" +
               (with_cluster ? cluster : "") + "set -x\n" + text);
}

void by_slurm(const Folder& folder, const std::string& text) {
  const Outcome outcome = in(folder, text, true);
  CHECK_MESSAGE(outcome.exit_code == 0, outcome.out, outcome.err);
}

void by_parallel(const Folder& folder, const std::string& text) {
  const Outcome outcome = in(folder, text, false);
  CHECK_MESSAGE(outcome.exit_code == 0, outcome.out, outcome.err);
}

json report(const Folder& folder, const std::string& name) { return json::parse(read_file(folder.file(name))); }

}  // namespace

TEST_CASE("a film and pictures that Slurm's tasks encode are those of one run") {
  const Folder folder;
  by_slurm(folder, R"sh(
    $built farm encode $film film.mkv --slurm --tasks 3 --program ./task --work work --verify-share 100% \
      --json > film.json
    same_film film.mkv
    for task in 1 2 3; do
      first=$(sed -n 's/^# begins on .* as //p' work/logs/$task)
      second=$(sed -n 's/^# begins on .* as //p' work/verify/logs/$task)
      [ -n "$first" ] && [ -n "$second" ] && [ "$first" != "$second" ]
    done
    touch kill-one
    $built farm encode $pictures --to out --slurm --tasks 2 --program ./task --json > pictures.json
    diff -r out whole
  )sh");
  const json film = report(folder, "film.json"), pictures = report(folder, "pictures.json");
  CHECK(film["engine"] == "Slurm");
  CHECK(film["tasks"] == 3);
  CHECK(film["frames"] == 40);
  CHECK(film["repeated"] == 0);
  CHECK(film["verified"] == 3);
  CHECK(pictures["verified"] == 0);
  CHECK(pictures["repeated"] == 1);  // the task that was killed
  CHECK(pictures["done"] == 2);
}

TEST_CASE("the controller of Slurm may restart while its tasks are followed, and an interrupted run is resumed") {
  const Folder folder;
  by_slurm(folder, R"sh(
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
    touch go
    $built farm encode $film second.mkv --slurm --tasks 4 --json > second.json
    same_film second.mkv
    [ -z "$(squeue --noheader)" ]
  )sh");
  CHECK(report(folder, "film.json")["repeated"] == 0);
  CHECK(report(folder, "second.json")["done"] == 4);
}

TEST_CASE("a film and pictures that GNU parallel's tasks encode are those of one run") {
  const Folder folder;
  // ./ssh is like ssh, but runs the command on this machine: GNU parallel gives it a host, and words for its shell.
  by_parallel(folder, R"sh(
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
    [ ! -e film.mkv.farm ]
    grep -q studio hosts-used

    cat > wrong << 'END'
#!/bin/sh
case "$*" in *verify*)
  for file in work/store/*.mkv; do
    chmod u+w "$file"
    printf wrong | dd of="$file" bs=1 seek=1500 conv=notrunc 2> /dev/null
  done ;;
esac
exec "$built" "$@"
END
    chmod +x wrong
    code=0
    $built farm encode $film second.mkv --parallel :,studio --tasks 2 --verify-share 1% --work work --program ./wrong \
      2> wrong.txt || code=$?
    [ $code = 1 ]
    [ ! -e second.mkv ]
    grep -q 'encoded twice, and the results differ' wrong.txt
    grep -Eq "ran on '(:' after 'studio|studio' after ':)'" wrong.txt
    printf '# hosts\n2/:\n' > hosts
    $built farm encode $pictures --to out --parallel @hosts --tasks 2 --json > pictures.json
    diff -r out whole
  )sh");
  const json film = report(folder, "film.json");
  CHECK(film["engine"] == "GNU parallel");
  CHECK(film["done"] == 3);
  CHECK(report(folder, "pictures.json")["done"] == 2);
}

TEST_CASE("a task that fails for good is named with its message, and the others are done") {
  const Folder folder;
  by_parallel(folder, R"sh(
    echo nothing > in/4.png
    code=0
    $built farm encode $pictures --to out --parallel : --tasks 5 --retries 1 > report.txt 2> error.txt || code=$?
    cat error.txt
    [ $code = 1 ]
    [ ! -e out/4.ktx2 ]
    grep -q 'task 4 failed: .*in/4.png' error.txt
    grep -q '1 of 5 tasks failed' error.txt
    cp in/3.png in/4.png
    $built farm encode $pictures --to out --parallel : --tasks 5 --json > again.json
    cmp out/3.ktx2 out/4.ktx2
  )sh");
  CHECK(report(folder, "again.json")["found"] == 5);
}
