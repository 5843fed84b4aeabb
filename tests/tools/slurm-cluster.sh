# slurm-cluster.sh — a Slurm cluster of two nodes on this machine, for tests: functions for sh. Everything is in one
# folder: configuration, key and socket of munge, state and logs. It has no GPUs, cgroups and accounting.
#
#   . slurm-cluster.sh
#   cluster_start FOLDER PORT     PORT and the two after it are free; sets SLURM_CONF
#   cluster_stop                  ends all that it started, also tasks
#   cluster_restart_controller [SECONDS]
#   cluster_lose_node n2          kills slurmd and all of its tasks, as if the machine had lost its power
#   cluster_start_node n2

cluster_write_conf() {
  cat > "$SLURM_CONF" << END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$cluster_port
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((cluster_port + 1)) CPUs=1
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((cluster_port + 2)) CPUs=1
PartitionName=test Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
}

# Waits for a command to succeed, at most $1 tenths of a second.
cluster_wait() {
  cluster_left=$1
  shift
  until "$@" > /dev/null 2>&1; do
    cluster_left=$((cluster_left - 1))
    [ "$cluster_left" -gt 0 ] || return 1
    sleep 0.1
  done
}

cluster_fail() {
  echo "cluster: $1" >&2
  tail -n 5 "$cluster"/*.log "$cluster"/*.out >&2
  cluster_stop
  return 1
}

cluster_start_controller() {
  slurmctld -D "$@" > "$cluster/slurmctld.out" 2>&1 &
  cluster_controller=$!
  cluster_wait 600 scontrol ping || return 1
  scontrol ping | grep -q UP
}

cluster_start_node() {
  slurmd -D -N "$1" > "$cluster/$1.out" 2>&1 &
  echo $! > "$cluster/$1.started"
}

cluster_has_nodes() { [ "$(sinfo --noheader --Node --format=%t 2> /dev/null | grep -c idle)" = 2 ]; }

cluster_start() {
  cluster=$1
  cluster_port=$2
  export SLURM_CONF="$cluster/slurm.conf"
  mkdir -p "$cluster/state"
  cluster_write_conf
  head -c 128 /dev/urandom > "$cluster/munge.key"
  chmod 600 "$cluster/munge.key"
  munged --foreground --force --num-threads=1 --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
    --pid-file="$cluster/munged.pid" --seed-file="$cluster/munge.seed" --log-file="$cluster/munged.log" \
    > "$cluster/munged.out" 2>&1 &
  cluster_munged=$!
  cluster_wait 600 test -S "$cluster/munge.socket" || { cluster_fail "munged does not run"; return 1; }
  cluster_start_controller -c || { cluster_fail "slurmctld does not run"; return 1; }
  cluster_start_node n1
  cluster_start_node n2
  cluster_wait 600 cluster_has_nodes || { cluster_fail "slurmd does not run"; return 1; }
}

# The sessions of a node's tasks. Their slurmstepd is no child of slurmd, and is known by the log that it writes.
cluster_sessions_of() {
  for cluster_process in $(pgrep -x slurmstepd); do
    if [ "$(readlink "/proc/$cluster_process/fd/3")" = "$cluster/$1.log" ]; then
      ps -o sid= -p "$cluster_process"
    fi
  done
}

cluster_lose_node() {
  kill -KILL "$(cat "$cluster/$1.started")"
  for cluster_session in $(cluster_sessions_of "$1"); do pkill -KILL -s "$cluster_session"; done
}

cluster_restart_controller() {
  kill -TERM "$cluster_controller"
  wait "$cluster_controller"
  sleep "${1:-0}"
  cluster_start_controller
}

cluster_stop() {
  set +e
  scancel --user="$(id -un)" 2> /dev/null
  for cluster_node in n1 n2; do cluster_lose_node "$cluster_node" 2> /dev/null; done
  kill -KILL "$cluster_controller" "$cluster_munged" 2> /dev/null
  pkill -KILL -P "$cluster_controller" 2> /dev/null
  wait "$cluster_controller" "$cluster_munged" 2> /dev/null
}
