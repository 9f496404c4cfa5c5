// expect: value [["a", "A", "ä", "b", "Z"], ["file 2", "file 10"], 0, 1, ["2", "10"], -1]
[
  ["b", "Z", "ä", "A", "a"].sort((one, other) => one.localeCompare(other)),
  ["file 10", "file 2"].sort((one, other) => one.localeCompare(other, undefined, { numeric: true })),
  "Résumé".localeCompare("resume", "en", { sensitivity: "base" }),
  "Résumé".localeCompare("resume"),
  ["10", "2"].sort((one, other) => one.localeCompare(other, "en", { numeric: true })),
  "co-op".localeCompare("coop"),
]
