// expect: value ["$1,235", "€1,234.50", "$1,234.6"]
[
  (1234.5678).toLocaleString("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 }),
  (1234.5).toLocaleString("en-US", { style: "currency", currency: "EUR" }),
  (1234.56).toLocaleString("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 1 }),
]
