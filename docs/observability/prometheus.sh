#!/bin/sh
# Starts Prometheus from a package (Debian: `apt-get install prometheus`) with our rules, beside `aon demo --metrics`.
#
#   docs/observability/prometheus.sh [TARGET] [LISTEN]     127.0.0.1:8787, 127.0.0.1:9090
#
# It keeps its data in a folder that goes away with it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-127.0.0.1:8787}
listen=${2:-127.0.0.1:9090}
command -v prometheus >/dev/null || { echo "prometheus is not installed; apt-get install prometheus" >&2; exit 1; }
data=$(mktemp -d)
child=
trap 'if [ -n "$child" ]; then kill "$child" 2>/dev/null || true; wait "$child" 2>/dev/null || true; fi; rm -rf "$data"' EXIT
trap 'exit 0' INT TERM
sed "s#127.0.0.1:8787#$target#; s#\[rules.yaml, alerts.yaml\]#[$here/rules.yaml, $here/alerts.yaml]#; s#interval: 5s#interval: ${AON_SCRAPE:-5s}#" \
    "$here/prometheus.yaml" >"$data/prometheus.yaml"
echo "Prometheus on http://$listen scrapes http://$target/metrics"
prometheus --config.file="$data/prometheus.yaml" --storage.tsdb.path="$data/tsdb" --web.listen-address="$listen" \
    --enable-feature=exemplar-storage --log.level=warn &
child=$!
wait "$child"
