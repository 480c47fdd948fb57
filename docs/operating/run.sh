#!/bin/sh
# Starts a deployment from packages (Debian: `apt-get install redis-server nginx`): an engine with a replica and three sentinels,
# two nodes of `aon demo`, and nginx in front. Stop it with Ctrl-C; its data goes away with it.
#
#   docs/operating/run.sh [PORT]     nginx on 127.0.0.1:8080, the others on the ports after it
#
#   AON=aon           the program to run
#   REPLICAS=1        how many replicas; with 2, writing goes on while one server is gone
#   LEASE_MS=5000     how long a node that is not heard of keeps its sessions
set -eu
here=$(cd "$(dirname "$0")" && pwd)
port=${1:-8080}
aon=${AON:-aon}
replicas=${REPLICAS:-1}
lease=${LEASE_MS:-5000}
PATH=$PATH:/usr/sbin
for tool in redis-server nginx "$aon"; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed; apt-get install redis-server nginx, cargo install aon-cli" >&2; exit 1; }
done
data=$(mktemp -d)
children=
stop() {
    for child in $children; do kill "$child" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$data"
}
trap stop EXIT
trap 'exit 0' INT TERM
started() { children="$! $children"; }

# The engine. `min-replicas-to-write`: a primary that lost its replicas refuses to write. `appendonly`: a server that was stopped
# comes back with what it had.
primary=$((port + 3))
engine() {
    mkdir "$data/engine$1"
    # One that dies is started again after a second, as a service manager does. Sentinels tell it whom to follow then.
    (
        trap 'kill "$server" 2>/dev/null; exit 0' TERM INT
        while :; do
            redis-server --port "$1" --bind 127.0.0.1 --dir "$data/engine$1" --save "" --appendonly yes --appendfsync everysec \
                --min-replicas-to-write 1 --min-replicas-max-lag 2 --repl-backlog-size 64mb --loglevel warning $2 >>"$data/engine$1/log" 2>&1 &
            server=$!
            wait "$server" || true
            sleep 1
        done
    ) &
    started
}
engine "$primary" ""
n=1
while [ "$n" -le "$replicas" ]; do
    engine $((primary + n)) "--replicaof 127.0.0.1 $primary"
    n=$((n + 1))
done

# Sentinels replace a primary that does not answer for two seconds, if two of the three agree.
sentinels=
for n in 0 1 2; do
    at=$((port + 10 + n))
    mkdir "$data/sentinel$n"
    cat >"$data/sentinel$n/conf" <<CONF
port $at
bind 127.0.0.1
dir $data/sentinel$n
sentinel monitor aon 127.0.0.1 $primary 2
sentinel down-after-milliseconds aon 2000
sentinel failover-timeout aon 6000
sentinel parallel-syncs aon 1
CONF
    redis-server "$data/sentinel$n/conf" --sentinel >"$data/sentinel$n/log" 2>&1 &
    started
    sentinels=$sentinels${sentinels:+,}127.0.0.1:$at
done

url="redis://$sentinels?sentinel=aon&replicas=1&lease_ms=$lease"
for n in 1 2; do
    "$aon" demo --port $((port + n)) --redis "$url" --node "node$n" --peer "http://127.0.0.1:$((port + 3 - n))" --quiet >"$data/node$n.log" 2>&1 &
    started
done

mkdir "$data/nginx"
sed "s#NODE1#127.0.0.1:$((port + 1))#; s#NODE2#127.0.0.1:$((port + 2))#; s#LISTEN#127.0.0.1:$port#" "$here/nginx.conf" >"$data/nginx/conf"
for what in client_body proxy fastcgi uwsgi scgi; do temp="${temp:-} ${what}_temp_path $data/nginx/$what;"; done
sed -i "s#access_log off;#access_log off;$temp#; s#^daemon off;#daemon off; pid $data/nginx/pid; error_log $data/nginx/log;#" "$data/nginx/conf"
nginx -c "$data/nginx/conf" -e "$data/nginx/log" &
started

if command -v curl >/dev/null; then
    tries=0
    until curl -fs -o "$data/answer" "http://127.0.0.1:$port/.well-known/aon"; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || { tail -n 5 "$data"/node*.log "$data/nginx/log" >&2; exit 1; }
        sleep 0.2
    done
fi
echo "nginx on http://127.0.0.1:$port, nodes on $((port + 1)) and $((port + 2)), engine on $primary with $replicas replica(s), sentinels on $sentinels; kill nodes at http://127.0.0.1:$((port + 1))/cluster"
wait
