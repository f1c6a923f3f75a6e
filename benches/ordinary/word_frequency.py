"""word_frequency.py: the counterpart of word_frequency.st."""
import sys

WORDS = (
    "the harbour is a promise with walls said Pilot and Ferryman laughed "
    "but bell had rung on old tower that nobody rang counted ships twice"
).split()


class WordText:
    def __init__(self):
        self.seed = 42

    def next(self, count):
        self.seed = (self.seed * 1309 + 13849) % 65536
        return self.seed // 8 % count

    def lines(self, count):
        pieces = []
        for _ in range(count):
            for _ in range(8):
                pieces.append(WORDS[self.next(len(WORDS))])
                if self.next(5) == 0:
                    pieces.append(str(self.next(300)))
                pieces.append(" ")
            pieces.append(".\n")
        return "".join(pieces)


def frequencies(text):
    counts = {}
    for line in text.splitlines():
        for each in line.replace(".", " ").split():
            word = each.lower()
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


ranking = frequencies(WordText().lines(int(sys.argv[1])))
print(len(ranking))
for word, count in ranking[:10]:
    print(word, count)
