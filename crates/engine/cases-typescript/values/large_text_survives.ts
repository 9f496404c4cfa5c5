// expect: value 3000000
const text = "äx€".repeat(1_000_000);
text.length
