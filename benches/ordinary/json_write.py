"""json_write.py: the counterpart of json_write.st, with the json module's writer in Python alone."""
import json
import json.encoder
import sys

json.encoder.c_make_encoder = None
json.encoder.encode_basestring_ascii = json.encoder.py_encode_basestring_ascii


def item(number):
    return {
        "id": number,
        "name": f"Item number {number}",
        "note": 'a "quoted" word, and a long sentence without anything in it',
        "price": number % 100 + 0.25,
        "active": number % 2 == 0,
        "parent": None,
        "tags": ["red", "green", "blue"],
        "size": {"width": number % 17, "height": number % 13},
    }


catalogue = [item(number) for number in range(1, int(sys.argv[1]) + 1)]
print(len(catalogue))
for _ in range(int(sys.argv[2])):
    print(len(json.dumps(catalogue, separators=(",", ":"))))
