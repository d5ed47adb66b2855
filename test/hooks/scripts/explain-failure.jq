#!/usr/bin/env -S jq -c -f
# PostToolUseFailure: known errors get a known answer. One jq program, no shell around it.
# An interruption by the person is no error to explain.

def advice:
  [
    {match: "EADDRINUSE|address already in use",
     say: "The port is taken: find the process with `lsof -i` before you start another."},
    {match: "ENOSPC|No space left on device",
     say: "The disk is full: look with `df -h` and ask before deleting anything."},
    {match: "command not found|is not recognized",
     say: "That program is not installed here: see the list of tools in CONTRIBUTING.md."},
    {match: "Permission denied|EACCES",
     say: "Do not use sudo: tell the user which path cannot be written."},
    {match: "ETIMEDOUT|timed out",
     say: "Try once more with a longer timeout, then report it."}
  ];

def text: (.error // "") | if type == "string" then . else tostring end;

if .is_interrupt == true then
  empty
else
  text as $text
  | [advice[] | select(.match as $pattern | $text | test($pattern; "i")) | .say]
  | if length == 0 then
      {}
    else
      {hookSpecificOutput: {hookEventName: "PostToolUseFailure", additionalContext: join("\n")}}
    end
end
