import statistics

values = [2.5, 3.5, 8.0, 1.0]
{
    "mean": statistics.mean(values),
    "median": statistics.median(values),
    "stdev": round(statistics.stdev(values), 3),
}
