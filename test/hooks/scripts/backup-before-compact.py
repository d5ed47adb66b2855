#!/usr/bin/env python3
"""PreCompact: copies the transcript first; refuses automatic compaction while a release is being made."""
import json
import os
import shutil
import sys
from pathlib import Path


def backups(project):
    folder = project / ".claude" / "backups"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def prune(folder, keep=5):
    files = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    for old in files[:-keep]:
        old.unlink()


def main():
    event = json.load(sys.stdin)
    project = Path(os.environ.get("CLAUDE_PROJECT_DIR") or event["cwd"])
    transcript = Path(event.get("transcript_path") or "")
    trigger = event.get("trigger", "manual")

    if transcript.is_file():
        folder = backups(project)
        name = f"{event['session_id']}-{trigger}-{len(list(folder.iterdir()))}.jsonl"
        shutil.copyfile(transcript, folder / name)
        prune(folder)

    if trigger == "auto" and (project / "RELEASE_IN_PROGRESS").exists():
        print(json.dumps({"decision": "block", "reason": "A release is being made; compact afterwards."}))
        return 0

    instructions = event.get("custom_instructions") or ""
    if "forget" in instructions.lower():
        print("refusing to forget on purpose", file=sys.stderr)
        return 2
    print(f"backed up before {trigger} compaction")
    return 0


if __name__ == "__main__":
    sys.exit(main())
