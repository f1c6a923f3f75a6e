"""json_read.py: the counterpart of json_read.st, with the json module's reader in Python alone."""
import json
import json.decoder
import json.scanner
import sys

json.decoder.scanstring = json.decoder.py_scanstring
decoder = json.JSONDecoder()
decoder.parse_string = json.decoder.py_scanstring
decoder.scan_once = json.scanner.py_make_scanner(decoder)


def item(number):
    active = "true" if number % 2 == 0 else "false"
    return (
        f'{{"id": {number}, "name": "Item number {number}", '
        f'"note": "a \\"quoted\\" word,\\na second line", "price": {number % 100}.25, '
        f'"active": {active}, "parent": null, "tags": ["red", "green", "blue"], '
        f'"size": {{"width": {number % 17}, "height": {number % 13}}}}}'
    )


def sum_of(items):
    total = 0
    for each in items:
        total += each["id"] + int(each["price"] * 4) + len(each["note"])
        total += len(each["tags"]) + each["size"]["width"]
        if each["active"]:
            total += 1
    return total


text = "[" + ",".join(item(number) for number in range(1, int(sys.argv[1]) + 1)) + "]"
print(len(text))
for _ in range(int(sys.argv[2])):
    print(sum_of(decoder.decode(text)))
