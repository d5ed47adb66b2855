#!/usr/bin/env bash
# Stop: the agent goes on until the tests pass, but not for ever. State lives in a file per session.
set -u

input=$(cat)
session=$(echo "$input" | jq -r '.session_id')
active=$(echo "$input" | jq -r '.stop_hook_active')
project="${CLAUDE_PROJECT_DIR:-.}"
state="$project/.stop-$session"
max=3

tries=0
[[ -f "$state" ]] && tries=$(<"$state")
if [[ "$active" != "true" ]]; then
  # A new reply: the count begins anew.
  tries=0
fi

run_tests() {
  [[ -x "$project/run-tests.sh" ]] || return 0
  (cd "$project" && ./run-tests.sh) 2>&1
}

if output=$(run_tests); then
  rm -f "$state"
  exit 0
fi

tries=$((tries + 1))
echo "$tries" >"$state"

if ((tries >= max)); then
  jq -n --arg n "$tries" '{
    continue: false,
    stopReason: ("tests still fail after " + $n + " rounds"),
    decision: "block",
    reason: "give up"
  }'
  exit 0
fi

last=$(tail -n 3 <<<"$output")
jq -n --arg last "$last" --arg n "$tries" \
  '{decision: "block", reason: ("Tests fail (round " + $n + "):\n" + $last)}'
