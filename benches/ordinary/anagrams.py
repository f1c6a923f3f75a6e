"""anagrams.py: the counterpart of anagrams.st."""
import sys


def main():
    seed = 13
    groups = {}
    for _ in range(int(sys.argv[1])):
        letters = []
        for _ in range(5):
            seed = seed * 16807 % 2147483647
            letters.append("aeinrst"[seed // 32 % 7])
        word = "".join(letters)
        groups.setdefault("".join(sorted(word)), set()).add(word)
    largest = max(len(each) for each in groups.values())
    print(len(groups))
    print(largest)
    print(min(key for key, words in groups.items() if len(words) == largest))


main()
