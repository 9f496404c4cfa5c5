rows = [("apple", 1.5, 3), ("pear", 0.25, 12)]
lines = [f"{name:<10}{price:>8.2f}{count:>5d}" for name, price, count in rows]
total = sum(price * count for _, price, count in rows)
lines.append("total".ljust(10) + f"{total:>8.2f}")
print("\n".join(lines))
