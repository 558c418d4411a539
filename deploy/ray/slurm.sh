#!/bin/bash
# A run on the nodes of one Slurm job: `python -m flows.launch slurm` fills it in. One Ray node a
# machine, the head on the first, the run beside it. A node that is lost does not end the job. A run
# that fails, or comes near the time limit, goes back into the queue, and on from its last checkpoint.
#SBATCH --job-name={{ name }}
#SBATCH --nodes={{ nodes }}
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --no-kill
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
#SBATCH --dependency=singleton
#SBATCH --output={{ log }}
{% if gpus %}
#SBATCH --gpus-per-node={{ gpus }}
{% endif %}
set -euo pipefail

nodes={{ nodes }}
retries={{ retries }}
interface={{ interface }}
run=({{ command }})
cd {{ folder }}

kept=.scratch/launch
mkdir -p "$kept"
rm -f "$kept/$SLURM_JOB_ID.status"
export PATH="$PWD/.venv/bin:$PATH" PYTHONPATH="$PWD"

# Who knows the token may run programs here: it lies where only this user reads it, and all nodes do.
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH="$PWD/$kept/$SLURM_JOB_ID.token"
(umask 077 && python -c 'import secrets; print(secrets.token_hex(32), end="")' > "$RAY_AUTH_TOKEN_PATH")

# A dead machine is noticed after (3 + 3) x 5 s; with Ray's own values after more than a minute.
export RAY_health_check_period_ms=3000 RAY_health_check_timeout_ms=3000
export RAY_health_check_failure_threshold=5
export RAY_worker_register_timeout_seconds=120 # a first import from a shared folder is slow

# Below 32768, where the kernel takes ports for outgoing connections: no two can meet.
port=6379
common=(--block --disable-usage-stats --object-store-memory=2000000000
  --node-manager-port=6380 --object-manager-port=6381 --runtime-env-agent-port=6382
  --dashboard-agent-grpc-port=6383 --dashboard-agent-listen-port=6384 --metrics-export-port=6385
  --min-worker-port=10002 --max-worker-port=19999{% if gpus %} --num-gpus={{ gpus }}{% endif %})

say() { echo "$(date -u +%H:%M:%S) $*"; }

end() { # status
  trap - EXIT USR1 TERM
  echo "$1" > "$kept/$SLURM_JOB_ID.status"
  rm -f "$RAY_AUTH_TOKEN_PATH"
  say "ended with $1"
  jobs -p | xargs --no-run-if-empty kill 2> /dev/null || true
  exit "$1"
}

again() { # status, why
  if [ "${SLURM_RESTART_COUNT:-0}" -ge "$retries" ]; then
    say "$2, for the last time"
    end "$1"
  fi
  trap - EXIT USR1 TERM
  say "$2: back into the queue"
  jobs -p | xargs --no-run-if-empty kill 2> /dev/null || true
  scontrol requeue "$SLURM_JOB_ID"
  exit "$1"
}

trap 'again 1 "the time limit is near"' USR1
trap 'end 143' TERM # scancel: who ends the job does not want it again
trap 'again 1 "it could not start"' EXIT

# Each step takes what it needs of nodes that other steps use too; none ends when a node is lost.
step=(srun --overlap --cpu-bind=none --no-kill --kill-on-bad-exit=0 --wait=0)

do_on_head() { # in the background, so that a signal is heard at once
  "${step[@]}" "${on_head[@]}" "$@" &
  local code=0
  wait $! || code=$?
  [ "$code" -eq 0 ] || again "$code" "'$*' ended with $code"
}

mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${hosts[0]}
last=${hosts[-1]}
on_head=(--nodes=1 --ntasks=1 --nodelist="$head")
where=(python -m stages.engines.cluster.addresses)
if [ -n "$interface" ]; then
  address=$("${step[@]}" "${on_head[@]}" "${where[@]}" --on "$interface")
elif [ "$nodes" -gt 1 ]; then
  # Asked of another node: on the head, its own name may stand for loopback.
  address=$("${step[@]}" --nodes=1 --ntasks=1 --nodelist="$last" "${where[@]}" --of "$head")
else
  address=127.0.0.1
fi
cluster="$address:$port"
say "head $head at $cluster, $nodes node(s), attempt $((${SLURM_RESTART_COUNT:-0} + 1))"

raised='ulimit -n "$(ulimit -Hn)"; exec "$@"'
"${step[@]}" "${on_head[@]}" bash -c "$raised" head \
  ray start --head --node-ip-address="$address" --port="$port" --include-dashboard=false \
  "${common[@]}" > "$kept/$SLURM_JOB_ID.head.log" 2>&1 &
for try in $(seq 60); do
  ray health-check --address "$cluster" > /dev/null 2>&1 && break
  [ "$try" -lt 60 ] || { say "no head after 60 tries: $kept/$SLURM_JOB_ID.head.log"; false; }
  sleep 2
done

if [ "$nodes" -gt 1 ]; then
  own='ulimit -n "$(ulimit -Hn)"
own=$(python -m stages.engines.cluster.addresses "$1" "$2")
exec ray start --address="$3" --node-ip-address="$own" "${@:4}"'
  way=(--to "$address")
  [ -z "$interface" ] || way=(--on "$interface")
  "${step[@]}" --nodes=$((nodes - 1)) --ntasks=$((nodes - 1)) --ntasks-per-node=1 --exclude="$head" \
    bash -c "$own" node "${way[@]}" "$cluster" "${common[@]}" \
    > "$kept/$SLURM_JOB_ID.nodes.log" 2>&1 &
fi

export RAY_ADDRESS="$cluster"
do_on_head python -m stages.engines.doctor --nodes "$nodes" --wait {{ wait }}
do_on_head "${run[@]}"
end 0
