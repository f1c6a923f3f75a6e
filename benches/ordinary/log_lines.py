"""log_lines.py: the counterpart of log_lines.st."""
import re
import sys


def main():
    lines = []
    for each in range(1, int(sys.argv[1]) + 1):
        status = (200, 200, 200, 404, 500)[each % 5]
        lines.append(
            f"10.0.{each % 4}.{each * 7 % 50} - - [12/Mar/2024:10:{each % 60:02d}] "
            f'"GET /page/{each % 100} HTTP/1.1" {status} {each * 31 % 5000}\n'
        )
    text = "".join(lines)
    pattern = re.compile(r'([\d.]+) - - \[([^\]]+)\] "(GET|POST) ([^ ]+) [^"]*" (\d+) (\d+)')
    per_status, per_host, size = {}, {}, 0
    for line in text.splitlines():
        match = pattern.fullmatch(line)
        if match:
            host, status = match.group(1), match.group(5)
            per_status[status] = per_status.get(status, 0) + 1
            per_host[host] = per_host.get(host, 0) + 1
            size += int(match.group(6))
    for status in sorted(per_status):
        print(status, per_status[status])
    print(len(per_host))
    print(size)


main()
