"""csv_table.py: the counterpart of csv_table.st; reader and writer are written out, since the csv module is in C."""
import sys

REGIONS = ("north", "south, by the sea", 'east "end"', "west")


def field(text):
    if "," in text or '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return text


class CsvReader:
    def __init__(self, text):
        self.text = text
        self.position = 0

    def at_end(self):
        return self.position >= len(self.text)

    def peek_for(self, character):
        if self.position < len(self.text) and self.text[self.position] == character:
            self.position += 1
            return True
        return False

    def quoted(self):
        pieces = []
        while True:
            stop = self.text.index('"', self.position)
            pieces.append(self.text[self.position : stop])
            self.position = stop + 1
            if not self.peek_for('"'):
                return "".join(pieces)
            pieces.append('"')

    def plain(self):
        start = self.position
        while not self.at_end() and self.text[self.position] not in ",\n":
            self.position += 1
        return self.text[start : self.position]

    def row(self):
        fields = []
        while True:
            fields.append(self.quoted() if self.peek_for('"') else self.plain())
            if not self.peek_for(","):
                break
        self.peek_for("\n")
        return fields


lines = []
for each in range(1, int(sys.argv[1]) + 1):
    row = (str(each), REGIONS[each % 4], str(each * 37 % 1000), "a plain remark")
    lines.append(",".join(map(field, row)) + "\n")
text = "".join(lines)
reader = CsvReader(text)
sums = {}
while not reader.at_end():
    row = reader.row()
    sums[row[1]] = sums.get(row[1], 0) + int(row[2])
print(len(text))
for region in sorted(sums):
    print(f"{region}: {sums[region]}")
