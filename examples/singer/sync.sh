#!/bin/sh
# A Singer pipeline with its state in Statehouse. Needs sh, sed, curl, and `statehouse` from clients/meltano.
#
#   STATEHOUSE_URL=http://localhost:8080 \
#   TAP="tap-github --config tap.json" TARGET="target-csv --config target.json" \
#   sh sync.sh prod:tap-github-to-target-csv
#
# The tap starts from the merged state. What the target has emitted last becomes the completed state if both went well;
# else the partial state, so that the next run goes on from there. While it runs, nobody else writes that state, and a
# second run of this script for the same id waits.
#
# The state is kept as Meltano keeps it, as {"singer_state": …}: `meltano state get` reads it too.
set -eu

: "${1:?usage: TAP=… TARGET=… sh sync.sh STATE_ID}" "${TAP:?the command of the tap}" "${TARGET:?the command of the target}"

# First this script runs itself again, under the lock, which tells it the address and the token.
if [ "${STATEHOUSE_LOCKED_ID-}" != "$1" ]; then
    exec env STATEHOUSE_LOCKED_ID="$1" statehouse lock "$1" --wait "${WAIT:-300}" -- sh "$0" "$@"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A signal ends the tap and the target, which `statehouse lock` passes it on to. What they got to is kept all the same.
stopped=
trap 'stopped=143' TERM
trap 'stopped=130' INT

ask() { # METHOD URL [BODY]: the answer goes to $work/answer, the status is printed
    set -- "$@" ''
    if [ -n "$3" ]; then printf %s "$3" >"$work/body"; set -- "$1" "$2" --data-binary "@$work/body"; else set -- "$1" "$2"; fi
    method=$1 url=$2
    shift 2
    # Asked again while the service is away: under the lock, twice is the same as once.
    curl -sS --retry 6 --retry-connrefused --max-time 60 -X "$method" -o "$work/answer" -w '%{http_code}' \
        ${STATEHOUSE_TOKEN:+-H "Authorization: Bearer $STATEHOUSE_TOKEN"} \
        -H "Lock-Token: $STATEHOUSE_LOCK_TOKEN" -H 'Content-Type: application/json' "$@" "$url"
}

# 1. What the last run left.
status=$(ask GET "$STATEHOUSE_STATE_URL?view=merged")
case $status in
    200)
        # {"singer_state":{…}}, of which the tap wants the inner part. The service puts no space between tokens.
        sed -n 's/^{"singer_state":\({.*}\)}$/\1/p' "$work/answer" >"$work/state.json"
        [ -s "$work/state.json" ] || { echo "The state of $1 is not as Meltano keeps it: {\"singer_state\": {…}}" >&2; exit 1; }
        set -- --state "$work/state.json"
        ;;
    404) set -- ;;
    *) cat "$work/answer" >&2; exit 1 ;;
esac

[ -z "$stopped" ] || exit "$stopped"

# 2. The run. A pipe hides the exit code of the tap, so that goes through a file.
echo 1 >"$work/tap.code"
target_code=0
# shellcheck disable=SC2086 # both are commands with arguments
{ $TAP "$@" && echo 0 >"$work/tap.code"; } | $TARGET >"$work/emitted" || target_code=$?
tap_code=$(cat "$work/tap.code")

# 3. What this run leaves: the last whole line that the target wrote.
last=$(sed -n '/^{.*}$/h; ${x;p;}' "$work/emitted")
if [ "$tap_code$target_code$stopped" = 00 ]; then half=completed_state; else half=partial_state; fi
if [ -n "$last" ]; then
    status=$(ask PATCH "$STATEHOUSE_STATE_URL?validate=singer" "{\"$half\":{\"singer_state\":$last}}")
    case $status in
        200 | 201) ;;
        *) cat "$work/answer" >&2; exit 1 ;;
    esac
fi
[ -z "$stopped" ] || exit "$stopped"
[ "$half" = completed_state ]
