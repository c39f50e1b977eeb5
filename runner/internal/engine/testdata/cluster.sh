#!/bin/bash
# A Slurm cluster on this host, for tests: cluster.sh start DIR NODES | stop DIR; or
# node DIR NAME | controller DIR, which lose it and start it again. Needs the packages
# slurm-wlm and munge. Each node is in a PID namespace of its own where the kernel allows
# it: to kill its pid is to lose the node.
set -euo pipefail
PATH=/usr/sbin:/sbin:$PATH
dir=$2
export SLURM_CONF=$dir/slurm.conf
host=$(hostname -s)
case $(getent ahostsv4 "$host" | awk 'NR==1{print $1}') in 127.*) ;; *) # daemons listen on what the name resolves to
	[ "$(id -u)" = 0 ] && [ "$host" != localhost ] || { echo "host name $host is not of 127.x" >&2; exit 2; }
	exec unshare --uts bash -c 'hostname localhost && exec "$0" "$@"' "$0" "$@" ;;
esac
space=(unshare --pid --fork --kill-child=KILL --mount-proc)
[ "$(id -u)" = 0 ] || space=(unshare --user --map-current-user "${space[@]:1}")
"${space[@]}" true 2>/dev/null || space=()

node() {
	mkdir -p "$dir/spool/$1"
	setsid "${space[@]}" bash -c 'slurmd -D -c -N "$0" & wait' "$1" </dev/null >/dev/null 2>>"$dir/$1.err" &
	echo $! >"$dir/$1.pid"
}
controller() { setsid slurmctld -D "$@" </dev/null >/dev/null 2>>"$dir/slurmctld.err" & echo $! >"$dir/slurmctld.pid"; }
idle() { # of this many nodes
	for _ in $(seq 600); do
		[ "$(sinfo -h -N -o %t 2>/dev/null | grep -cE 'idle|mix|alloc')" -lt "$1" ] || return 0
		sleep 0.05
	done
	tail -n 20 "$dir"/*.log "$dir"/*.err >&2
	exit 1
}
end() { # what was started for this folder, by its pid file
	for file in "$dir"/*.pid; do
		pid=$(cat "$file") && [ -e "/proc/$pid" ] && tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "SLURM_CONF=$SLURM_CONF" && kill -KILL -- "-$pid" || true
	done
}

case $1 in
start)
	port=$((20000 + RANDOM % 10000))
	mkdir -p "$dir/state"
	chmod 755 "$dir" # of the socket
	(umask 077 && head -c 128 /dev/urandom >"$dir/munge.key")
	setsid munged -F --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munged.own" \
		--log-file="$dir/munged.log" --seed-file="$dir/munge.seed" </dev/null >/dev/null 2>&1 &
	echo $! >"$dir/munged.pid"
	cat >"$SLURM_CONF" <<-CONF
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthInfo=socket=$dir/munge.sock,cred_expire=5
		CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool/%n
		SlurmctldPidFile=$dir/slurmctld.own
		SlurmdPidFile=$dir/spool/%n/own
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdLogFile=$dir/%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
		SlurmdParameters=config_overrides
		MailProg=/bin/true
		ReturnToService=2
		SlurmdTimeout=3
		KillWait=2
		$(for i in $(seq "$3"); do echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=2"; done)
		PartitionName=main Nodes=ALL Default=YES
	CONF
	for _ in $(seq 100); do [ -S "$dir/munge.sock" ] || sleep 0.05; done
	controller -c
	for i in $(seq "$3"); do node "n$i"; done
	idle "$3"
	;;
node) # lose it, and start it again
	kill -KILL "$(cat "$dir/$3.pid")"
	until sinfo -h -n "$3" -o %t | grep -q down; do sleep 0.1; done
	node "$3"
	idle "$(grep -c NodeName= "$SLURM_CONF")"
	;;
controller)
	pid=$(cat "$dir/slurmctld.pid")
	kill "$pid" # it saves its state, which one that is killed by force has lost of the last seconds
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	controller
	;;
stop)
	end
	;;
esac
