#!/usr/bin/env python3
"""PreToolUse: refuses recursive deletes of places that matter, and keeps a log of all calls."""
import json
import os
import re
import sys
from pathlib import Path

DANGEROUS_PATHS = [
    r"^/$", r"^/\*", r"^~/?$", r"^~/\*", r"\$HOME", r"^\.\.$", r"^\*$", r"^\.$", r"^/(etc|usr|var|home)\b",
]


def is_recursive_and_forced(flags):
    letters = "".join(flag.lstrip("-") for flag in flags if not flag.startswith("--"))
    words = {flag for flag in flags if flag.startswith("--")}
    recursive = "r" in letters.lower() or "--recursive" in words
    forced = "f" in letters or "--force" in words
    return recursive and forced


def dangerous(command):
    for part in re.split(r"&&|\|\||;|\||\n", command):
        words = part.strip().split()
        while words and (words[0] in ("sudo", "command") or "=" in words[0]):
            words = words[1:]
        if not words or words[0] != "rm":
            continue
        flags = [word for word in words[1:] if word.startswith("-")]
        targets = [word for word in words[1:] if not word.startswith("-")]
        if is_recursive_and_forced(flags):
            for target in targets:
                if any(re.search(pattern, target) for pattern in DANGEROUS_PATHS):
                    return target
    return None


def log(event):
    folder = Path(os.environ.get("CLAUDE_PROJECT_DIR", ".")) / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pre_tool_use.json"
    entries = json.loads(path.read_text()) if path.exists() else []
    entries.append(event)
    path.write_text(json.dumps(entries, indent=2))


def main():
    try:
        event = json.load(sys.stdin)
    except json.JSONDecodeError as error:
        print(f"cannot read the event: {error}", file=sys.stderr)
        sys.exit(1)
    log(event)
    if event.get("tool_name") == "Bash":
        target = dangerous(event.get("tool_input", {}).get("command", ""))
        if target:
            print(f"BLOCKED: rm -rf of {target} is not allowed here", file=sys.stderr)
            sys.exit(2)
    sys.exit(0)


if __name__ == "__main__":
    main()
