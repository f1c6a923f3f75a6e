#!/bin/sh
# Runs the test programs of GNU Smalltalk and prints a line for each: whether its standard output is that of its .ok file
# when all white space counts as one blank.
#
#   tests/gst.sh CHECKOUT [NAME...]
#
# CHECKOUT is a work tree of github.com/gnu-smalltalk/smalltalk. TALLY names the command, else target/release/tally is taken.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
tally=${TALLY:-$root/target/release/tally}
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
programs=$1/tests
shift
[ -d "$programs" ] || { echo "$programs is no folder of programs" >&2; exit 2; }
[ -x "$tally" ] || { echo "$tally is no command: cargo build --release -p tally" >&2; exit 2; }
tally=$(cd "$(dirname "$tally")" && pwd)/$(basename "$tally")

if [ $# -eq 0 ]; then
    set -- $(cd "$programs" && ls *.ok | sed 's/\.ok$//')
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

words() {
    tr -s ' \t\r\n\f' '\n\n\n\n\n' <"$1" | sed '/^$/d'
}

equal=0
printf '| program | output |\n| --- | --- |\n'
for name in "$@"; do
    # A program may read the files beside it.
    (
        cd "$programs"
        timeout 120 "$tally" run --dialect gst --allow-read=. "$name.st" </dev/null >"$work/out" 2>"$work/messages"
    ) || true
    words "$work/out" >"$work/found"
    words "$programs/$name.ok" >"$work/wanted"
    if cmp -s "$work/found" "$work/wanted"; then
        equal=$((equal + 1))
        echo "| $name | equal |"
    else
        echo "| $name | differs |"
    fi
done
echo "| **equal** | $equal of $# |"
