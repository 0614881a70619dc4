#!/usr/bin/env bash
# Measures the runs of measured.csv. If FOLDER is given, also records the captured run there. Needs root, python3-torch
# and iproute2: the two hosts are network namespaces, joined by a link that is shaped to 300 Mbit/s each way.
#
# usage: run.sh [FOLDER]
set -euo pipefail
folder=${1:+$(realpath "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")"

clean_up() { for host in 0 1; do ip netns delete "overlap$host" 2>/dev/null || true; done; }
trap clean_up EXIT
clean_up
for host in 0 1; do ip netns add "overlap$host"; done
ip link add cable0 netns overlap0 type veth peer name cable1 netns overlap1
for host in 0 1; do
  ip -n "overlap$host" address add "10.9.0.$((host + 1))/24" dev "cable$host"
  ip -n "overlap$host" link set "cable$host" up
  ip -n "overlap$host" link set lo up
  tc -n "overlap$host" qdisc add dev "cable$host" root tbf rate 300mbit burst 8kb latency 100ms
done

# usage: job PREFETCH ASYNCHRONOUS [FOLDER]. Runs with a high priority, because the machine may be busy.
job() {
  local port=$((29500 + RANDOM % 400)) rank
  for rank in 0 1; do
    MASTER_ADDR=10.9.0.1 MASTER_PORT=$port GLOO_SOCKET_IFNAME=cable$rank chrt --fifo 50 ip netns exec "overlap$rank" \
      /usr/bin/python3 job.py "$rank" "$1" "$2" ${3:+"$3/rank$rank.pt.trace.json"} &
  done
  wait
}

for _ in 1 2 3; do
  job 0 0
  job 1 0
  job 2 0
  job 0 1
  job 1 1
done
if [[ -n $folder ]]; then job 0 0 "$folder"; fi
