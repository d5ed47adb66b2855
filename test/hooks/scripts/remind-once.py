#!/usr/bin/env python3
"""PreToolUse on edits: warns about risky patterns, once per file and rule in a session; state lies in a file."""
import json
import os
import sys
import tempfile

RULES = [
    {"name": "eval", "in": [".js", ".ts", ".py"], "find": ["eval("], "say": "eval runs text as code; parse it instead."},
    {"name": "html", "in": [".js", ".ts", ".tsx"], "find": ["innerHTML", "dangerouslySetInnerHTML"],
     "say": "raw HTML can carry scripts; use text."},
    {"name": "pickle", "in": [".py"], "find": ["pickle.load"], "say": "pickles of others run code; use JSON."},
    {"name": "workflow", "in": [".yml", ".yaml"], "find": ["${{ github.event"],
     "say": "event fields are written by strangers; pass them through env."},
]


def state_path(session):
    home = os.environ.get("HOME") or tempfile.gettempdir()
    folder = os.path.join(home, ".claude")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, f"reminders_{session}.json")


def shown(session):
    try:
        with open(state_path(session), encoding="utf-8") as file:
            return set(json.load(file))
    except (OSError, ValueError):
        return set()


def texts(tool, given):
    if tool == "Write":
        return [given.get("content", "")]
    if tool == "MultiEdit":
        return [edit.get("new_string", "") for edit in given.get("edits", [])]
    return [given.get("new_string", "")]


def main():
    event = json.load(sys.stdin)
    given = event.get("tool_input", {})
    path = given.get("file_path", "")
    known = shown(event["session_id"])
    for rule in RULES:
        key = f"{path}-{rule['name']}"
        if key in known or not path.endswith(tuple(rule["in"])):
            continue
        if any(word in text for word in rule["find"] for text in texts(event.get("tool_name"), given)):
            known.add(key)
            with open(state_path(event["session_id"]), "w", encoding="utf-8") as file:
                json.dump(sorted(known), file)
            print(rule["say"], file=sys.stderr)
            sys.exit(2)


main()
