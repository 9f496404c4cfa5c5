def period_totals(rows: list, date: str, value: str, period: str = "month") -> list:
    """Sum and count of a field for each day, week, month or year of an ISO date in another, in order."""
    from datetime import date as calendar_day

    def name(text):
        day = calendar_day.fromisoformat(str(text)[:10])
        if period == "week":
            year, week, _ = day.isocalendar()
            return f"{year}-W{week:02}"
        return {"day": day.isoformat(), "month": day.isoformat()[:7], "year": day.isoformat()[:4]}[period]

    if period not in ("day", "week", "month", "year"):
        raise ValueError(f"period is day, week, month or year, not {period!r}")
    totals = {}
    for row in rows:
        if row.get(date) and isinstance(row.get(value), (int, float)):
            total = totals.setdefault(name(row[date]), {"sum": 0, "count": 0})
            total["sum"] += row[value]
            total["count"] += 1
    return [{period: key, **totals[key]} for key in sorted(totals)]
