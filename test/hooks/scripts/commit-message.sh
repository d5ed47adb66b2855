#!/bin/bash
# PreToolUse on Bash: the subject of a commit has a form; anything else passes.
set -uo pipefail

INPUT=$(cat)
TOOL=$(echo "$INPUT" | jq -r '.tool_name')
COMMAND=$(echo "$INPUT" | jq -r '.tool_input.command // ""')

[[ $TOOL == "Bash" ]] || exit 0
[[ $COMMAND =~ git[[:space:]]+commit ]] || exit 0

# The message behind -m, in either kind of quotes; here documents are somebody else's business.
if [[ $COMMAND =~ -m[[:space:]]*\"([^\"]*)\" ]]; then
  MESSAGE="${BASH_REMATCH[1]}"
elif [[ $COMMAND =~ -m[[:space:]]*\'([^\']*)\' ]]; then
  MESSAGE="${BASH_REMATCH[1]}"
else
  exit 0
fi

SUBJECT=$(head -n 1 <<<"$MESSAGE")
problems=()
if ! [[ $SUBJECT =~ ^(feat|fix|docs|test|refactor|chore)(\([a-z-]+\))?:\ [a-z] ]]; then
  problems+=("begin with feat:, fix:, docs:, test:, refactor: or chore:")
fi
if ((${#SUBJECT} > 72)); then
  problems+=("stay below 73 characters (it has ${#SUBJECT})")
fi
if [[ $SUBJECT == *. ]]; then
  problems+=("leave out the full stop")
fi

if ((${#problems[@]})); then
  {
    echo "The commit subject does not fit:"
    printf -- '- %s\n' "${problems[@]}"
  } >&2
  exit 2
fi
exit 0
