#!/usr/bin/env python3
"""PreToolUse: no reading or writing of secret files, with the decision as JSON."""
import json
import os.path
import re
import sys

SECRET_NAMES = {".env", ".env.local", ".env.production", "credentials.json", "id_rsa"}
SAFE_SUFFIXES = (".sample", ".example", ".template")
READERS = re.compile(r"\b(cat|less|head|tail|more|cp|mv|source|\.)\s+(?P<path>\S+)")


def is_secret(path):
    name = os.path.basename(path or "")
    if name.endswith(SAFE_SUFFIXES):
        return False
    return name in SECRET_NAMES or name.startswith(".env.")


def secret_in(event):
    tool = event.get("tool_name", "")
    given = event.get("tool_input") or {}
    if tool in ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit"):
        path = given.get("file_path") or given.get("notebook_path")
        return path if is_secret(path) else None
    if tool == "Bash":
        for found in READERS.finditer(given.get("command", "")):
            if is_secret(found.group("path")):
                return found.group("path")
    return None


def decide(decision, reason):
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        },
        "suppressOutput": True,
        "metrics": {"checked": 1},
    }


def main():
    event = json.loads(sys.stdin.read() or "{}")
    secret = secret_in(event)
    if secret is not None:
        print(json.dumps(decide("deny", f"{secret} holds secrets; use {secret}.sample instead"), indent=2))
        return
    if event.get("tool_name") == "Bash" and "git push" in event.get("tool_input", {}).get("command", ""):
        print(json.dumps(decide("ask", "pushing is for people")))
        return
    print("{}")


if __name__ == "__main__":
    main()
