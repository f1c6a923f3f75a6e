#!/bin/sh
# Runs Pharo's own tests and prints how many pass, a line a package. Tests of classes that tests/pharo-exclusions.txt names
# count as excluded, whether they pass or not. Tests of classes that did not load count as not run.
#
#   tests/pharo.sh CHECKOUT [PACKAGE...]
#
# CHECKOUT is a work tree of github.com/pharo-project/pharo. TALLY names the command, else target/release/tally is taken.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
tally=${TALLY:-$root/target/release/tally}
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
sources=$1/src
shift
[ -d "$sources" ] || { echo "$sources is no folder of packages" >&2; exit 2; }
[ -x "$tally" ] || { echo "$tally is no command: cargo build --release -p tally" >&2; exit 2; }

# The packages, each with those that it needs beside the library.
needs() {
    case $1 in
    Collections-Abstract-Tests) echo Collections-Abstract-Traits ;;
    Collections-*) echo Collections-Abstract-Traits Collections-Abstract-Tests ;;
    Kernel-Tests) echo Kernel-Traits Collections-Abstract-Traits Collections-Abstract-Tests ;;
    Kernel-Extended-Tests) echo Kernel-Traits Kernel-Tests Collections-Abstract-Traits Collections-Abstract-Tests ;;
    SUnit-Tests) echo SUnit-Core-Traits SUnit-MockObjects ;;
    Traits-Tests) echo Kernel-Traits SUnit-Core-Traits ;;
    FileSystem-Disk-Tests | FileSystem-Memory-Tests) echo FileSystem-Core-Tests ;;
    esac
}

if [ $# -eq 0 ]; then
    set -- $(cd "$sources" && ls -d Collections-*-Tests Collections-Tests) Kernel-Tests Kernel-Extended-Tests SUnit-Tests \
        Random-Tests Announcements-Core-Tests NumberParser-Tests Regex-Core-Tests Traits-Tests \
        FileSystem-Core-Tests FileSystem-Disk-Tests FileSystem-Memory-Tests
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '| package | tests | passed | excluded | failed | not run |\n| --- | ---: | ---: | ---: | ---: | ---: |\n'
for package in "$@"; do
    own=$sources/$package
    [ -d "$own" ] || { echo "there is no $own" >&2; exit 2; }
    folders=
    for needed in $(needs "$package") "$package"; do
        folders="$folders $needed"
    done
    # A test that reads or writes files does so in the folder that goes away.
    rm -rf "$work/src" && mkdir "$work/src"
    for folder in $folders; do
        cp -R "$sources/$folder" "$work/src/"
    done
    # Tests of the disk share their files.
    jobs=
    case $package in FileSystem-*) jobs='--jobs 1' ;; esac
    (
        cd "$work/src"
        timeout 1800 "$tally" test --format json --counts ignore --max-sends 200000000 \
            --allow-read --allow-write --allow-env $jobs $folders >"$work/report" 2>"$work/messages"
    ) || true
    # Each test that a class file defines: what did not load did not run.
    for file in "$own"/*.class.st; do
        class=$(basename "$file" .class.st)
        # The tests of an abstract class run in its subclasses.
        grep -q "^$class class >> isAbstract" "$file" && continue
        defined=$(grep -c "^$class >> test[A-Za-z0-9_]* \[" "$file" || true)
        printf 'class %s %s\n' "$class" "$defined"
    done >"$work/classes"
    awk -v package="$package" '
        FILENAME ~ /exclusions/ { if ($0 !~ /^#/ && NF) out[$1] = 1; next }
        FILENAME ~ /classes$/ { defined[$2] = $3; next }
        match($0, /"class":"[A-Za-z0-9_]*"/) {
            class = substr($0, RSTART + 9, RLENGTH - 10)
            if (!(class in defined)) next
            ran[class]++; tests++
            if (class in out) excluded++
            else if ($0 ~ /"verdict":"(pass|expected failure|vacuous)"/) passed++
            else failed++
        }
        END {
            for (class in defined) if (!(class in ran)) {
                tests += defined[class]
                if (class in out) excluded += defined[class]
                else lost += defined[class]
            }
            printf "| %s | %d | %d | %d | %d | %d |\n", package, tests, passed, excluded, failed, lost
        }' "$root/tests/pharo-exclusions.txt" "$work/classes" "$work/report"
done | awk -F'|' '
    { print; fflush() }
    { for (i = 3; i <= 7; i++) sum[i] += $i }
    END { printf "| **all** | %d | %d | %d | %d | %d |\n", sum[3], sum[4], sum[5], sum[6], sum[7] }'
