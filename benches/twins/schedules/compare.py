#!/usr/bin/env python3
"""Runs each program in Tally, shuttle, loom and SPIN, and prints tables in Markdown.

    compare.py TALLY [--build FOLDER] [--only NAME]...

It needs cargo, gcc and spin, on Linux. Times are processor time of whole processes on one core, medians of --rounds runs.
A search that does not end within --limit seconds on the clock runs once.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEADLOCK = "(deadlock)"

# Python's own memory would be the least that a child could show, so a small process starts the command.
MEASURE = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    cpu_set_t cpus;
    struct rusage usage;
    int status;
    CPU_ZERO(&cpus);
    CPU_SET(atoi(words[1]), &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        execvp(words[3], words + 3);
        _exit(127);
    }
    signal(SIGINT, SIG_IGN);
    wait4(child, &status, 0, &usage);
    FILE *file = fopen(words[2], "w");
    double seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    double parts = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    fprintf(file, "%.6f %ld\n", seconds + parts / 1e6, usage.ru_maxrss);
    fclose(file);
    return count && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
"""


class Twin:
    """A program: its number, what it is called in the tables, and what each tool is told."""

    def __init__(self, number, name, numbers, threads, model=None, words=(), defines=(), has_bug=False):
        self.number = number
        self.program = name
        self.numbers = [str(one) for one in numbers]
        self.label = " ".join([name] + ["×".join(self.numbers)]).strip()
        self.threads = threads
        self.model = model or name
        self.words = self.numbers + list(words)
        self.defines = list(defines)
        self.has_bug = has_bug


def race(n):
    return Twin(1, "race", [n], n, defines=[f"N={n}"], has_bug=True)


def add(number, n, times):
    return Twin(number, "add", [n, times], n, defines=[f"N={n}", f"TIMES={times}"])


def readers(n):
    return Twin(4, "readers", [n], n + 1, defines=[f"N={n}"])


def lastzero(n):
    return Twin(5, "lastzero", [n], n + 1, defines=[f"N={n}"])


def philosophers(n):
    return Twin(6, "philosophers", [n], n, words=["plain"], defines=[f"N={n}"], has_bug=True)


def mended(n):
    return Twin(7, "mended", [n], n, "philosophers", ["mended"], [f"N={n}", "MENDED"])


def buffer(n, items):
    return Twin(8, "buffer", [n, items], n + 1, defines=[f"N={n}", f"ITEMS={items}"])


def slots(n, items, room):
    return Twin(8, "slots", [n, items, room], n + 1, defines=[f"N={n}", f"ITEMS={items}", f"ROOM={room}"])


MAIN = [
    race(2), race(3), add(2, 2, 4), add(3, 3, 2), readers(3), readers(6), lastzero(3), lastzero(5), philosophers(3), philosophers(4),
    mended(3), mended(4), buffer(2, 1), slots(2, 1, 1), slots(2, 1, 2), Twin(9, "peterson", [], 2),
]

SCALING = [
    [race(n) for n in (2, 3, 4, 5)],
    [add(2, 2, n) for n in (2, 4, 6, 8)],
    [readers(n) for n in (2, 3, 4, 6, 8, 10, 12)],
    [lastzero(n) for n in (2, 3, 4, 5, 6, 7, 8, 10)],
    [philosophers(n) for n in (2, 3, 4, 5, 6, 8)],
    [mended(n) for n in (2, 3, 4, 5, 6, 8)],
    [slots(2, 1, 2), slots(2, 2, 1), slots(2, 2, 2), slots(3, 1, 2), slots(3, 2, 2)],
    [buffer(2, 1), buffer(3, 1), buffer(2, 2)],
]


class Run:
    """What one process printed and took."""

    def __init__(self, output, code, seconds, kilobytes, clock, was_stopped):
        self.output = output
        self.clock = clock
        self.code = code
        self.seconds = seconds
        self.kilobytes = kilobytes
        self.was_stopped = was_stopped


class Found:
    """What a tool found, and what it took. `stop` says why it is not the whole search."""

    def __init__(self, executions, results, runs, stop=None, extra=0, failure=None):
        self.executions = executions
        self.results = results
        self.seconds = statistics.median(one.seconds for one in runs)
        self.kilobytes = max(one.kilobytes for one in runs)
        self.stop = stop
        self.extra = extra
        self.failure = failure


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.measure = folder / "measure"
        (folder / "measure.c").write_text(MEASURE)
        subprocess.run(["gcc", "-O2", "-o", self.measure, folder / "measure.c"], check=True)
        project = folder / "rust"
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(HERE / "src", project / "src")
        shutil.copy(HERE / "Cargo.toml", project)
        self.target = Path(os.environ.get("CARGO_TARGET_DIR", folder / "target"))
        environment = dict(os.environ, CARGO_TARGET_DIR=str(self.target))
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=project, env=environment, check=True)
        self.lock = (project / "Cargo.lock").read_text()
        # A trace of a panic would cost more than the search.
        self.environment = dict(os.environ, RUST_BACKTRACE="0", SHUTTLE_SILENCE_WARNINGS="1")

    def version(self, crate):
        return self.lock.split(f'name = "{crate}"\nversion = "')[1].split('"')[0]

    def once(self, command, limit, cwd=None):
        taken = self.folder / "taken"
        words = [self.measure, str(self.options.cpu), taken] + [str(word) for word in command]
        process = subprocess.Popen(
            words, cwd=cwd, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        start = time.monotonic()
        was_stopped = False
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            was_stopped = True
            os.killpg(process.pid, signal.SIGINT)
            output, _ = process.communicate()
        seconds, kilobytes = taken.read_text().split()
        clock = time.monotonic() - start
        return Run(output, process.returncode, float(seconds), int(kilobytes), clock, was_stopped)

    def runs(self, command, limit, rounds, cwd=None):
        """Runs of a command. A slow one runs once."""
        runs = [self.once(command, limit, cwd)]
        while len(runs) < rounds and runs[0].clock < limit / 6:
            runs.append(self.once(command, limit, cwd))
        return runs

    def tally(self, twin, limit, rounds):
        command = [self.options.tally, "explore", HERE / f"{twin.model}.st", "--format", "json", "--", *twin.words]
        runs = self.runs(command, limit, rounds)
        text = runs[0].output
        found = json.loads(text[text.index("{") : text.rindex("}") + 1])
        results = {DEADLOCK if one["ending"] == "deadlock" else one["output"].strip() for one in found["results"]}
        bad = sum(one["schedules"] for one in found["results"] if one["ending"] != "ends")
        stop = found.get("limit")
        return Found(found["schedules"], results, runs, stop, found["redundant"], f"{bad:,}" if bad else None)

    def rust(self, tool, twin, part, mode, limit, rounds):
        command = [self.target / "release" / tool, twin.program, *twin.numbers, part, mode, str(limit)]
        runs = self.runs(command, limit * 2, rounds)
        found = json.loads(runs[0].output.splitlines()[-1])
        if "most" in found:
            return None
        results = {one.strip() for one in found["results"]}
        failure = found["failure"]
        stop = "time" if found["late"] else None
        if failure:
            stop = stop or "the first failure"
            results |= {DEADLOCK} if failure.startswith("deadlock") else set()
        return Found(found["executions"], results, runs, stop, 0, failure)

    def spin(self, twin, reduces, mode, limit, rounds):
        """The findings, and the time for making the searcher."""
        folder = self.folder / "spin"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        # Results are printed in timed runs too: what no statement reads is no part of SPIN's states.
        defines = [f"-D{one}" for one in [*twin.defines, "RESULTS"]]
        flags = [] if reduces else ["-DNOREDUCE"]
        made = [
            self.once(["spin", *defines, "-a", HERE / f"{twin.model}.pml"], 60, folder),
            self.once(["gcc", "-O2", "-DSAFETY", *flags, "-o", "pan", "pan.c"], 60, folder),
        ]
        # Without -w20 the hash table alone has 134 MB.
        words = ["-w20"] + ([] if mode == "first" else ["-c0"])
        runs = self.runs(["./pan", *words], limit, rounds, folder)
        text = runs[0].output
        results = {one[7:].strip() for one in text.splitlines() if one.startswith("result:")}
        results |= {DEADLOCK} if "invalid end state (at" in text else set()
        states = counted(text, "states, stored")
        transitions = counted(text, "transitions (= stored+matched)")
        stop = "the first failure" if mode == "first" and "Search not completed" in text else None
        if runs[0].was_stopped or "max search depth too small" in text:
            stop = "a limit"
        found = Found((states, transitions), results, runs, stop)
        return found, sum(one.seconds for one in made)


def counted(text, words):
    for line in text.splitlines():
        if line.strip().endswith(words):
            return int(line.split()[0])
    raise ValueError(text)


def table(titles, rows):
    print("| " + " | ".join(titles) + " |")
    print("| --- |" + " ---: |" * (len(titles) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def executions(found):
    if found is None:
        return "too many threads"
    if isinstance(found.executions, tuple):
        return " / ".join(f"{one:,}" for one in found.executions)
    extra = f" + {found.extra}" if found.extra else ""
    more = {None: "", "the first failure": " until the failure"}.get(found.stop, " and not ended")
    return f"{found.executions:,}{extra}{more}"


def milliseconds(found):
    if found is None:
        return "–"
    text = f"{found.seconds * 1000:,.1f}" if found.seconds < 1 else f"{found.seconds * 1000:,.0f}"
    return f"{'' if found.stop in (None, 'the first failure') else '> '}{text}"


def megabytes(found):
    return "–" if found is None else f"{found.kilobytes / 1024:.1f}"


def agreement(twin, tally, others):
    """The results, and for each other tool whether it has the same ones."""
    shown = []
    for name, found in others:
        if found is None:
            continue
        if found.results == tally.results:
            shown.append(f"{name}: same")
        elif found.stop and found.results <= tally.results:
            shown.append(f"{name}: {len(found.results)} of them when it stopped")
        else:
            more = sorted(found.results - tally.results)
            less = sorted(tally.results - found.results)
            shown.append(f"{name}: DIFFERENT, more {more}, missing {less}")
    return [twin.label, f"{len(tally.results)}", "; ".join(shown)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tally", type=Path)
    parser.add_argument("--build", type=Path, help="a folder for what is built")
    parser.add_argument("--limit", type=int, default=120, help="seconds for a search")
    parser.add_argument("--scale-limit", type=int, default=10, help="seconds for a search of the table of sizes; 0 leaves it out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--only", action="append", help="a program's name (repeatable)")
    options = parser.parse_args()
    options.tally = options.tally.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.build or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        compare(options, Bench(options, folder))


def compare(options, bench):
    def said(*words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True).stdout.strip().splitlines()

    print(f"- {'; '.join(said(options.tally, '--version')[:2])}")
    print(f"- shuttle {bench.version('shuttle')}, loom {bench.version('loom')}, {said('rustc', '--version')[0]}")
    print(f"- {said('spin', '-V')[0]}, {said('gcc', '--version')[0]}; pan: -O2 -DSAFETY, -w20")
    print(f"- {platform.machine()}, core {options.cpu} of {os.cpu_count()}, median of {options.rounds}, limit {options.limit} s\n")

    counts, times, memory, bugs, same, summary = [], [], [], [], [], []
    for twin in MAIN:
        if options.only and twin.program not in options.only:
            continue
        print(f"{twin.label} …", file=sys.stderr, flush=True)
        limit, rounds = options.limit, options.rounds
        tally = bench.tally(twin, limit, rounds)
        shuttle = bench.rust("shuttle", twin, "idle", "all", limit, rounds)
        fewer = bench.rust("shuttle", twin, "works", "all", limit, rounds)
        loom = bench.rust("loom", twin, "works", "all", limit, rounds)
        reduced, making = bench.spin(twin, True, "all", limit, rounds)
        full, _ = bench.spin(twin, False, "all", limit, rounds)
        tools = [tally, shuttle, fewer, loom, reduced, full]
        counts.append([twin.label, str(twin.threads)] + [executions(one) for one in tools])
        times.append([twin.label] + [milliseconds(one) for one in tools] + [f"{making * 1000:,.0f}"])
        memory.append([twin.label] + [megabytes(one) for one in tools])
        others = [("shuttle", shuttle), ("shuttle −1", fewer), ("loom", loom), ("SPIN", reduced), ("SPIN, no reduction", full)]
        same.append(agreement(twin, tally, others))
        summary.append((twin, tally, shuttle, fewer, loom, reduced))
        if twin.has_bug:
            first = [
                bench.rust("shuttle", twin, "idle", "first", limit, rounds),
                bench.rust("shuttle", twin, "works", "first", limit, rounds),
                bench.rust("loom", twin, "works", "first", limit, rounds),
            ]
            pan, _ = bench.spin(twin, True, "first", limit, rounds)
            row = [twin.label, f"{tally.failure} of {tally.executions:,} schedules", milliseconds(tally)]
            for one in first:
                at = "too many threads" if one is None else f"{'execution' if one.failure else 'none until'} {one.executions:,}"
                row += [at, milliseconds(one)]
            bugs.append(row + [executions(pan), milliseconds(pan)])

    tools = ["Tally", "shuttle", "shuttle −1", "loom", "SPIN", "SPIN, no reduction"]
    print("## Executions\n\nTally: schedules + redundant runs. SPIN: states / transitions.")
    print("shuttle −1 and loom: the first thread does the work of the last one, so there is one thread less.\n")
    table(["program", "threads"] + tools, counts)
    print("## Time until all results are known, ms\n\nThe last column is `spin -a` and gcc, which no other column contains.\n")
    table(["program"] + tools + ["making pan"], times)
    print("## Time until a failure is reported, ms\n\nTally has no mode that ends at a failure.\n")
    table(["program", "Tally", "ms", "shuttle", "ms", "shuttle −1", "ms", "loom", "ms", "SPIN", "ms"], bugs)
    print("## Peak memory, MB\n")
    table(["program"] + tools, memory)
    print("## Results\n")
    table(["program", "Tally", "the others"], same)
    print("## Tally beside the others\n")
    for name, place in (("shuttle", 2), ("shuttle −1", 3)):
        lost = {one[0].number for one in summary if one[1].seconds >= one[place].seconds}
        numbers = sorted({one[0].number for one in summary} - lost)
        print(f"- faster than {name} in all rows of the programs {numbers}, not in all rows of {sorted(lost)}")
    for name, place in (("shuttle", 2), ("shuttle −1", 3), ("loom", 4), ("SPIN", 5)):
        faster = [one[0].label for one in summary if one[place] and one[1].seconds < one[place].seconds]
        slower = [one[0].label for one in summary if one[place] and one[1].seconds >= one[place].seconds]
        print(f"- faster than {name}: {len(faster)} ({', '.join(faster)}); not faster: {len(slower)} ({', '.join(slower)})")
    print(flush=True)

    if options.scale_limit:
        scale(options, bench)


def scale(options, bench):
    rows = []
    for family in SCALING:
        over = set()
        for twin in family:
            if options.only and twin.program not in options.only:
                continue
            print(f"sizes: {twin.label} …", file=sys.stderr, flush=True)
            limit = options.scale_limit
            searches = {
                "Tally": lambda: bench.tally(twin, limit, 1),
                "shuttle −1": lambda: bench.rust("shuttle", twin, "works", "all", limit, 1),
                "loom": lambda: bench.rust("loom", twin, "works", "all", limit, 1),
                "SPIN": lambda: bench.spin(twin, True, "all", limit, 1)[0],
            }
            row = [twin.label]
            for name, search in searches.items():
                found = None if name in over else search()
                row += ["not tried" if name in over else executions(found), milliseconds(found)]
                if found is None or found.stop not in (None, "the first failure"):
                    over.add(name)
            rows.append(row)
    print(f"## Sizes\n\nOne run each, at most {options.scale_limit} s. A tool that did not end is not tried with larger sizes.\n")
    table(["program", "Tally", "ms", "shuttle −1", "ms", "loom", "ms", "SPIN", "ms"], rows)


if __name__ == "__main__":
    main()
