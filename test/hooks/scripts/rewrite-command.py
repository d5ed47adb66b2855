#!/usr/bin/env python3
"""PreToolUse on Bash: rewrites commands to what this project uses; gives only the key that changes."""
import json
import shlex
import sys

REPLACEMENTS = {
    ("npm", "install"): ["pnpm", "install"],
    ("npm", "test"): ["pnpm", "test"],
    ("pip", "install"): ["uv", "pip", "install"],
    ("grep", "-r"): ["rg"],
}
NEVER = {"curl": "use the WebFetch tool", "wget": "use the WebFetch tool"}


def rewritten(command):
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    for start, instead in REPLACEMENTS.items():
        if tuple(words[: len(start)]) == start:
            return shlex.join(instead + words[len(start):])
    return None


def answer(**fields):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}))


def main():
    event = json.load(sys.stdin)
    if event.get("tool_name") != "Bash":
        return
    command = event["tool_input"]["command"]
    words = command.split()
    if words and words[0] in NEVER:
        # The old way of saying it, as many hooks still do.
        print(json.dumps({"decision": "block", "reason": f"{words[0]}: {NEVER[words[0]]}"}))
        return
    new = rewritten(command)
    if new is not None:
        answer(updatedInput={"command": new}, additionalContext=f"ran `{new}` instead of `{command}`")
        return
    if words and words[0] in ("ls", "pwd"):
        print(json.dumps({"decision": "approve", "reason": "harmless"}))


main()
