"""dates.py: the counterpart of dates.st, with the datetime module."""
import sys
from datetime import date, timedelta


def main():
    weekdays = {}
    per_date = {}
    total = 0
    for each in range(1, int(sys.argv[1]) + 1):
        day = date(2000, each % 12 + 1, each % 28 + 1) + timedelta(days=each)
        weekday = day.isoweekday() % 7 + 1
        weekdays[weekday] = weekdays.get(weekday, 0) + 1
        per_date[day] = each
        if day < date(2010, 6, 15):
            total += day.day + day.month
    print(len(per_date))
    for each in range(1, 8):
        print(weekdays.get(each, 0))
    print(total)
    print((day - date(2000, 1, 1)).days)
    print(day.isoformat())


main()
