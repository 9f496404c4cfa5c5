// Yearly return and risk of what the account holds, weighted by value: what statistics.py says, without pandas.
import { getPositions, getPrices } from "servers/trading";

const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);
const round = (number: number, places: number) => Number(number.toFixed(places));

const { positions } = await getPositions({ account });
const held = positions.filter((one) => one.quantity > 0);
const { prices } = await getPrices({ symbols: held.map((one) => one.symbol) });

const closes = new Map<string, Map<string, number>>();
for (const { date, symbol, close } of prices) {
  if (!closes.has(date)) closes.set(date, new Map());
  closes.get(date)!.set(symbol, close);
}
const dates = [...closes.keys()].sort();
const value = sum(held.map((one) => one.value));
const daily = dates.slice(1).map((date, at) => {
  const gained = held.map(({ symbol, value: own }) => {
    const [before, now] = [closes.get(dates[at])!.get(symbol)!, closes.get(date)!.get(symbol)!];
    return (now / before - 1) * (own / value);
  });
  return { date, gained: sum(gained) };
});
const mean = sum(daily.map((one) => one.gained)) / daily.length;
const variance = sum(daily.map((one) => (one.gained - mean) ** 2)) / (daily.length - 1);
const [yearly, risk] = [mean * 252, Math.sqrt(variance * 252)];
const worst = daily.reduce((one, other) => (other.gained < one.gained ? other : one));
return {
  account,
  "shares held": held.length,
  value: round(value, 2),
  "yearly return": round(yearly, 4),
  "yearly risk": round(risk, 4),
  sharpe: round((yearly - risk_free) / risk, 4),
  "worst day": [worst.date, round(worst.gained, 4)],
};
