#!/usr/bin/env bash
# Notification, Stop: tells the desktop, without ever reading its input and without anybody waiting for it.
# The children keep stdout open; that must hold nobody up.

LOG="${HOOK_LOG:-$HOME/.claude/notify.log}"
mkdir -p "$(dirname "$LOG")"

say() {
  printf '%s %s\n' "$(date +%s)" "$*" >>"$LOG"
}

notify() {
  local title="$1" text="$2"
  if command -v osascript >/dev/null 2>&1; then
    osascript -e "display notification \"$text\" with title \"$title\""
  elif command -v notify-send >/dev/null 2>&1; then
    notify-send "$title" "$text"
  else
    printf '\a' >/dev/null
  fi
}

play() {
  for player in paplay aplay afplay; do
    if command -v "$player" >/dev/null 2>&1; then
      "$player" /usr/share/sounds/freedesktop/stereo/complete.oga 2>/dev/null
      return
    fi
  done
  sleep 20
}

notify "Assistant" "is waiting for you" &
play &
(sleep 15; say "reminded again") &
say "notified"
echo "notification sent"
exit 0
