"""Counts the calls of a Python program, and writes them as a file of callgrind.

    python3 calls.py OUTPUT PROGRAM [ARGUMENT]...

The count of a function is the number of calls that it makes, of functions in Python and of built-in ones. Equal runs have
equal counts. Set PYTHONHASHSEED if the program depends on the order of sets. Only the first thread is counted.
"""
import os
import sys


def main():
    output, program = sys.argv[1], os.path.realpath(sys.argv[2])
    folder, own, edges, total = os.path.dirname(program), {}, {}, [0]
    top = ("", 0, "(start)")
    own[top] = 0
    stack = [(top, 0)]  # The functions that run, and the total when they began.

    def begin(function):
        caller = stack[-1][0]
        total[0] += 1
        own[caller] += 1
        own.setdefault(function, 0)
        edges.setdefault((caller, function), [0, 0])[0] += 1
        stack.append((function, total[0]))

    def end():
        if len(stack) > 1:  # What ran before the counting began returns too.
            function, before = stack.pop()
            edges[stack[-1][0], function][1] += total[0] - before

    def profiler(frame, event, argument):
        if event == "call":
            code = frame.f_code
            file = code.co_filename.removeprefix(folder + os.sep)
            begin((file, code.co_firstlineno, getattr(code, "co_qualname", code.co_name)))
        elif event == "c_call" and argument is not sys.setprofile:
            begin(("", 0, f"{argument.__module__ or 'builtins'}.{argument.__qualname__}"))
        elif event in ("return", "c_return", "c_exception") and argument is not sys.setprofile:
            end()

    with open(program, encoding="utf-8") as file:
        code = compile(file.read(), program, "exec")
    sys.argv, sys.path[0] = sys.argv[2:], folder
    sys.setprofile(profiler)
    try:
        exec(code, {"__name__": "__main__", "__file__": program})
    finally:
        sys.setprofile(None)
        with open(output, "w", encoding="utf-8") as file:
            file.write("# callgrind format\nevents: Calls\n")
            for name, line, function in sorted(own):
                caller = (name, line, function)
                file.write(f"\nfl={name or '???'}\nfn={function}\n{line} {own[caller]}\n")
                for (_, callee), (calls, below) in sorted(edge for edge in edges.items() if edge[0][0] == caller):
                    file.write(f"cfi={callee[0] or '???'}\ncfn={callee[2]}\ncalls={calls} {callee[1]}\n{line} {below}\n")
            file.write(f"\ntotals: {total[0]}\n")


main()
