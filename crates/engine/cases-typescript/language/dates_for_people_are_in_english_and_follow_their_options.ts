// expect: value ["1/5/2026", "3:04:07 PM", "1/5/2026, 3:04:07 PM", "Monday, January 5, 2026", "Jan 5", "15:04", "January 5, 2026 at 3:04 PM", "01/05/26", "Monday, January 5, 2026 at 3:04 PM", "2026-01-05", "Invalid Date"]
const when = new Date(Date.UTC(2026, 0, 5, 15, 4, 7));
const day = { year: "numeric", month: "long", day: "numeric" } as const;
[
  when.toLocaleDateString(),
  when.toLocaleTimeString("en-US"),
  when.toLocaleString(),
  when.toLocaleDateString("en-US", { weekday: "long", ...day }),
  when.toLocaleDateString("en-US", { month: "short", day: "numeric" }),
  when.toLocaleTimeString("en-US", { hour: "2-digit", minute: "2-digit", hour12: false }),
  when.toLocaleString("en-US", { ...day, hour: "numeric", minute: "2-digit" }),
  when.toLocaleDateString("en-US", { year: "2-digit", month: "2-digit", day: "2-digit" }),
  when.toLocaleString("en-US", { dateStyle: "full", timeStyle: "short", timeZone: "UTC" }),
  when.toLocaleDateString("en-CA"),
  new Date(NaN).toLocaleDateString(),
]
