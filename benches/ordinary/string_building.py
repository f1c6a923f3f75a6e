"""string_building.py: the counterpart of string_building.st."""
import sys

WORDS = ("alpha", "beta", "gamma", "delta")


def line(number):
    return f"{number:8d}  {WORDS[number % 4]}  {number * 37 % 1000}.{number % 100:02d}"


report = "".join(line(each) + "\n" for each in range(1, int(sys.argv[1]) + 1))
reversed_lines = "".join(
    each.upper()[::-1] + " | " + each.strip() + "\n" for each in report.splitlines()
)
print(len(report))
print(len(reversed_lines))
print(reversed_lines.splitlines()[-1])
