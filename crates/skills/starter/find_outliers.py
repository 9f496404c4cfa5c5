def find_outliers(rows: list, by: str, factor: float = 1.5) -> dict:
    """Rows whose number in a field lies further outside the middle half of all than so many times its width."""
    numbers = sorted(row[by] for row in rows if isinstance(row.get(by), (int, float)) and not isinstance(row.get(by), bool))
    if len(numbers) < 4:
        return {"low": None, "high": None, "outliers": []}

    def quantile(share):
        place = share * (len(numbers) - 1)
        below = int(place)
        above = min(below + 1, len(numbers) - 1)
        return numbers[below] + (numbers[above] - numbers[below]) * (place - below)

    first, third = quantile(0.25), quantile(0.75)
    low, high = first - factor * (third - first), third + factor * (third - first)
    outside = [row for row in rows if isinstance(row.get(by), (int, float)) and not low <= row[by] <= high]
    return {"low": low, "high": high, "outliers": outside}
