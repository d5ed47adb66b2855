#!/usr/bin/env python3
"""SessionStart: tells what happened last time and exports variables for later commands."""
import json
import os
import sys
from datetime import date
from pathlib import Path

STATE = "last-session.json"


def read_state(folder):
    path = folder / STATE
    if not path.exists():
        return None
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def export(name, value):
    """Later shell commands of the session see it."""
    target = os.environ.get("CLAUDE_ENV_FILE")
    if not target:
        return False
    with open(target, "a", encoding="utf-8") as file:
        file.write(f"export {name}={json.dumps(value)}\n")
    return True


def main():
    event = json.load(sys.stdin)
    folder = Path(os.environ["CLAUDE_PROJECT_DIR"]) / ".claude" / "state"
    folder.mkdir(parents=True, exist_ok=True)
    before = read_state(folder)
    lines = [f"Session {event['source']} in {os.path.basename(event['cwd'])}."]
    if before and event["source"] != "startup":
        lines.append(f"Session {before['session_id']} was here before.")
    if export("PROJECT_SESSION", event["session_id"]):
        lines.append("PROJECT_SESSION is set.")
    (folder / STATE).write_text(json.dumps({"session_id": event["session_id"], "on": str(date.today())}))
    print(
        json.dumps(
            {
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": "\n".join(lines),
                }
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
