// expect: value ["1,234,567.891", "$1,234.50", "12%", "-5"]
[(1234567.891).toLocaleString(), (1234.5).toLocaleString("en-US", { style: "currency", currency: "USD" }), (0.12).toLocaleString("en", { style: "percent" }), (-5).toLocaleString()]
