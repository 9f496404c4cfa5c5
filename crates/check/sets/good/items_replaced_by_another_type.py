parts = "a,1".split(",")
parts[1] = int(parts[1])
print(parts[1] + 1)
numbers = list(range(3))
numbers.append("q")
numbers[0] = "s"
print(numbers[-1].upper(), numbers[0].upper())
words = sorted("b a".split())
words.insert(0, 7)
print(words[0] + 1)
ages = dict(zip("ab", "12"))
for name in ages:
    ages[name] = int(ages[name])
print(ages["a"] - 1)
places = dict(enumerate("ab"))
places[0] = [1]
places[0].append(2)
letters = list("abc")
letters.append(3)
print(letters[-1] - 1)
mapped = list(map(int, "12"))
mapped[0] = "s"
print(mapped[0].upper(), max(mapped, key=str))
for value in numbers:
    print(value)
