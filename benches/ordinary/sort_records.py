"""sort_records.py: the counterpart of sort_records.st, sorted by a key of three parts."""
import sys

CITIES = ("Lisbon", "Porto", "Braga", "Faro", "Evora", "Coimbra")


class Person:
    def __init__(self, name, city, age):
        self.name = name
        self.city = city
        self.age = age


seed = 7
people = []
for _ in range(int(sys.argv[1])):
    seed = seed * 16807 % 2147483647
    people.append(Person("person-" + str(seed % 100000), CITIES[seed // 7 % 6], seed // 11 % 80))
people.sort(key=lambda each: (each.city, -each.age, each.name))
total = 0
for index, each in enumerate(people, 1):
    total = (total + index * each.age) % 1000007
print(people[0].name, people[0].city)
print(people[-1].name, people[-1].city)
print(total)
