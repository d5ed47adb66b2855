#!/usr/bin/env bash
# PermissionRequest: answers the usual questions with jq alone; everything else is left to the person.
set -euo pipefail

read -r -d '' PROGRAM <<'JQ' || true
def reply(d): {hookSpecificOutput: {hookEventName: "PermissionRequest", decision: d}};
def starts(list): . as $text | any(list[]; . as $one | $text | startswith($one));

(.tool_input.command // "") as $command
| (.tool_input.file_path // "") as $file
| if .tool_name == "Bash" and ($command | starts(["npm test", "npm run lint", "cargo test", "pytest"])) then
    reply({
      behavior: "allow",
      updatedInput: (.tool_input + {timeout: 600000}),
      updatedPermissions: [{
        type: "addRules",
        rules: [{toolName: "Bash", ruleContent: ($command | split(" ")[0:2] | join(" ")) }],
        behavior: "allow",
        destination: "session"
      }]
    })
  elif .tool_name == "Bash" and ($command | test("\\b(shutdown|reboot|mkfs)\\b")) then
    reply({behavior: "deny", message: "never on this machine", interrupt: true})
  elif (.tool_name == "Write" or .tool_name == "Edit") and ($file | test("\\.lock$|-lock\\.json$")) then
    reply({behavior: "deny", message: "lock files are written by the package manager"})
  else
    empty
  end
JQ

jq -c "$PROGRAM"
