#!/usr/bin/env bash
# PostToolUse on Edit|Write|MultiEdit: tidies the file that was just written and says what it did.
set -euo pipefail

INPUT=$(cat)
FILE=$(jq -r '.tool_input.file_path // empty' <<<"$INPUT")
SUCCESS=$(jq -r 'if (.tool_response | type) == "object" then (.tool_response.success // true) else true end' <<<"$INPUT")

if [[ -z "$FILE" || ! -f "$FILE" || "$SUCCESS" != "true" ]]; then
  exit 0
fi

# Only files below the project are ours to touch.
case "$FILE" in
  "${CLAUDE_PROJECT_DIR:-$PWD}"/*) ;;
  *) exit 0 ;;
esac

changes=()
if [[ "$FILE" =~ \.json$ ]]; then
  if formatted=$(jq --indent 2 . "$FILE" 2>/dev/null); then
    if [[ "$formatted" != "$(cat "$FILE")" ]]; then
      printf '%s\n' "$formatted" >"$FILE"
      changes+=("formatted")
    fi
  else
    echo "$(basename "$FILE") is not valid JSON; fix it before going on" >&2
    exit 2
  fi
fi
if grep -qE '[[:space:]]+$' "$FILE"; then
  sed -i -E 's/[[:space:]]+$//' "$FILE"
  changes+=("trailing spaces removed")
fi

if ((${#changes[@]} > 0)); then
  joined=$(IFS=,; echo "${changes[*]}")
  jq -n --arg text "$(basename "$FILE"): ${joined//,/, }" \
    '{hookSpecificOutput: {hookEventName: "PostToolUse", additionalContext: $text}}'
fi
