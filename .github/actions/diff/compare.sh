#!/usr/bin/env bash
# Compares a list, or the lists of a folder, in a commit with those of the working tree, or with a
# running server. The environment is that of action.yml. Annotations go to standard output; the report
# goes to the summary of the job and to one comment on the pull request, which later runs edit.
set -euo pipefail

report=$RUNNER_TEMP/mcpgen-diff.md
flags=()
[ -z "${FAIL_ON:-}" ] || flags+=(--fail-on "$FAIL_ON")
[ -z "${PROFILE:-}" ] || flags+=(--profile "$PROFILE")
[ -z "${CHECK_VERSION:-}" ] || flags+=(--check-version "$CHECK_VERSION")
sides=("$LIST")
[ -z "${COMMAND:-}" ] || sides=(--cmd "$COMMAND")

if [ -z "$BASE" ] || ! { git cat-file -e "$BASE^{commit}" || git fetch --quiet --depth=1 origin "$BASE"; } 2>/dev/null; then
	echo "::notice title=mcpgen diff::there is no commit ${BASE:-before this one}: nothing to compare with"
	exit 0
fi

# An exit code of 1 means findings; any other failure ends the script.
code=0
mcpgen diff "git:$BASE:$LIST" "${sides[@]}" --format github "${flags[@]}" || code=$?
[ "$code" -le 1 ] || exit "$code"
mcpgen diff "git:$BASE:$LIST" "${sides[@]}" --format markdown "${flags[@]}" > "$report" || [ $? = 1 ]

echo "report=$report" >> "$GITHUB_OUTPUT"
cat "$report" >> "$GITHUB_STEP_SUMMARY"
if [ "${COMMENT:-}" = true ] && [ -n "${PULL_REQUEST:-}" ]; then
	gh pr comment "$PULL_REQUEST" --edit-last --create-if-none --body-file "$report" ||
		echo "::warning title=mcpgen diff::the comment could not be written; it needs the permission pull-requests: write"
fi
exit "$code"
