// The next trip: its way, a camp ground for each night, and what all of it costs.
import { getRoute, getTrips, searchCampgrounds } from "servers/travel";

const DAY = 24 * 3600 * 1000;
const { trips } = await getTrips({ user_id });
const trip = trips.find((one) => one.first_day >= today)!;
const way = await getRoute({ start: trip.start, destination: trip.destination });
const nights = (Date.parse(trip.last_day) - Date.parse(trip.first_day)) / DAY;

const around = await Promise.all(
  way.stops.map(({ latitude, longitude }) => searchCampgrounds({ latitude, longitude, within_km: 60, electricity: true })),
);
const isBetter = (one, other) => one.rating > other.rating || (one.rating === other.rating && one.night < other.night);
const best = around.map(({ camps }) => camps.reduce((found, camp) => (isBetter(camp, found) ? camp : found)));
const [share, rest] = [Math.floor(nights / best.length), nights % best.length];
let day = Date.parse(trip.first_day);
const stays = best.map((camp, number) => {
  const count = share + (number < rest ? 1 : 0);
  const first_day = new Date(day).toISOString().slice(0, 10);
  day += count * DAY;
  return { camp_id: camp.id, name: camp.name, first_day, nights: count, price: count * camp.night };
});
const camping = stays.reduce((total, stay) => total + stay.price, 0);
return {
  trip: trip.name, km: way.km, nights,
  "camp grounds seen": around.reduce((total, { camps }) => total + camps.length, 0),
  stays: stays.map((stay) => `${stay.first_day}: ${stay.name}, ${stay.nights} nights, ${stay.price.toFixed(0)}`),
  fuel: way.fuel_cost, camping, cost: Number((way.fuel_cost + camping).toFixed(2)),
};
