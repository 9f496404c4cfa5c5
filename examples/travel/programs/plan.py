# The next trip: its way, a camp ground for each night, and what all of it costs.
import asyncio
from datetime import date, timedelta
from servers.travel import get_trips, get_route, search_campgrounds

trips = (await get_trips(user_id=user_id))["trips"]
trip = next(one for one in trips if one["first_day"] >= today)
way = await get_route(start=trip["start"], destination=trip["destination"])
nights = (date.fromisoformat(trip["last_day"]) - date.fromisoformat(trip["first_day"])).days

around = await asyncio.gather(
    *(search_campgrounds(stop["latitude"], stop["longitude"], 60, electricity=True) for stop in way["stops"])
)
best = [max(one["camps"], key=lambda camp: (camp["rating"], -camp["night"])) for one in around]
share, rest = divmod(nights, len(best))
day, stays = date.fromisoformat(trip["first_day"]), []
for number, camp in enumerate(best):
    count = share + (number < rest)
    stays.append({"camp_id": camp["id"], "name": camp["name"], "first_day": str(day), "nights": count, "price": count * camp["night"]})
    day += timedelta(days=count)
camping = sum(stay["price"] for stay in stays)
{
    "trip": trip["name"], "km": way["km"], "nights": nights,
    "camp grounds seen": sum(len(one["camps"]) for one in around),
    "stays": [f"{stay['first_day']}: {stay['name']}, {stay['nights']} nights, {stay['price']:.0f}" for stay in stays],
    "fuel": way["fuel_cost"], "camping": camping, "cost": round(way["fuel_cost"] + camping, 2),
}
