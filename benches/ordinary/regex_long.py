"""regex_long.py: the counterpart of regex_long.st."""
import re
import sys


def main():
    lines = []
    for each in range(1, int(sys.argv[1]) + 1):
        lines.append(f"page/{each} abcdefghijklmnopqrstuvwxyz <mail{each % 7}@example.org>\n")
    text = "".join(lines)
    total = 0
    for match in re.finditer(r"page/(\d+)", text):
        total += len(match.group())
    print(total)
    total = 0
    for match in re.finditer(r"[a-z0-9]+@[a-z]+\.org", text):
        total += len(match.group())
    print(total)
    print(len(re.sub(r"page/\d+", "leaf", text)))


main()
