import calendar
import re

scanner = re.Scanner([(r"\d+", lambda scanner, text: int(text))])
print(scanner.scan("42")[0], calendar.mdays[1])
