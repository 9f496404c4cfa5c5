from typing import TypedDict


class Movie(TypedDict, total=False):
    title: str
    year: int


movie: Movie = {"title": "Tides"}
movie["year"] = 1999
movie.get("year", 0) + len(movie["title"])
