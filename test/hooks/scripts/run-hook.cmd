: # This file has no first line that names an interpreter: shells run it themselves, Windows takes the part below.
: # Usage: run-hook.cmd NAME   (NAME is a function further down)

here="${CLAUDE_PLUGIN_ROOT:-.}"
name="${1:-start}"
shift 2>/dev/null || true

escape() {
  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' | awk '{ if (NR > 1) printf "\\n"; printf "%s", $0 }'
}

start() {
  text=""
  for file in "$here"/skills/*.md; do
    if test -f "$file"; then
      text="$text$(basename "$file" .md): $(head -n 1 "$file")
"
    fi
  done
  if test -z "$text"; then
    echo "{}"
    return 0
  fi
  body=$(printf '%s' "$text" | escape)
  printf '{\n  "hookSpecificOutput": {\n    "hookEventName": "SessionStart",\n    "additionalContext": "%s"\n  }\n}\n' "$body"
}

stop() {
  cat >/dev/null
  echo "stopped" >>"$here/stops.log"
}

case "$name" in
  start) start ;;
  stop) stop ;;
  *)
    echo "run-hook: there is no hook named $name" >&2
    exit 1
    ;;
esac
exit 0
