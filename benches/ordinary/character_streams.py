"""character_streams.py: the counterpart of character_streams.st."""
import sys


def rotate(character):
    if not "a" <= character <= "z":
        return character
    return chr((ord(character) - 97 + 13) % 26 + 97)


def encode(text):
    output = []
    for character in text:
        output.append(rotate(character))
    return "".join(output)


line = "What is counted once is a rumour; what is counted twice is so. "
text = (line + "\n") * int(sys.argv[1])
coded = encode(text)
print(coded[: len(line)])
print("true" if encode(coded) == text else "false")
print(coded.count("n"))
