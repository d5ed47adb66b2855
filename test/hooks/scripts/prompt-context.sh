#!/usr/bin/env bash
# UserPromptSubmit: what a colleague would know about this folder, as plain text; refuses prompts with keys in them.
set -u

payload="$(cat)"
prompt="$(printf '%s' "$payload" | jq -r '.prompt // ""')"
cwd="$(printf '%s' "$payload" | jq -r '.cwd // "."')"

# A key in a prompt ends up in transcripts: better not to send it at all.
if printf '%s' "$prompt" | grep -qE 'AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----'; then
  echo "The prompt holds a key. Take it out and send it again." >&2
  exit 2
fi

cd "$cwd" 2>/dev/null || exit 0

branch="none"
changed=0
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  branch="$(git branch --show-current 2>/dev/null || echo detached)"
  changed="$(git status --porcelain 2>/dev/null | wc -l | tr -d ' ')"
fi

echo "<project-context>"
echo "branch: ${branch:-unborn}"
echo "changed files: $changed"
if [ -f TODO.md ]; then
  echo "open items: $(grep -c '^- \[ \]' TODO.md || true)"
fi
for word in test deploy migrate; do
  case "$prompt" in
    *"$word"*) echo "hint: read docs/$word.md before you $word" ;;
  esac
done
echo "</project-context>"
exit 0
