// expect: value ["1.2K", "12K", "1M", "1.2 million", "999", "$1.2K", "123,000", "1.50", "05", "+5", "0", "-5", "5", "($1.00)", "USD\u00a01.00", "1.00 US dollars", "¥1,235", "$1.01", "1,000,000,000,000,000,000,000", "1.01", "12,345,678,901,234,567,890", "BHD\u00a01.000", "12.5%", "$5"]
const text = (value: number | bigint, options?: any) => value.toLocaleString("en-US", options);
const money = (value: number, options?: any) => text(value, { style: "currency", currency: "USD", ...options });
[
  text(1234, { notation: "compact" }), text(12345, { notation: "compact" }), text(999_999, { notation: "compact" }),
  text(1_234_567, { notation: "compact", compactDisplay: "long" }), text(999, { notation: "compact" }), money(1234, { notation: "compact" }),
  text(123456, { maximumSignificantDigits: 3 }), text(1.5, { minimumSignificantDigits: 3 }), text(5, { minimumIntegerDigits: 2 }),
  text(5, { signDisplay: "always" }), text(0, { signDisplay: "exceptZero" }), text(-5), text(-5, { signDisplay: "never" }),
  money(-1, { currencySign: "accounting" }), money(1, { currencyDisplay: "code" }), money(1, { currencyDisplay: "name" }),
  money(1234.5, { currency: "JPY" }), money(1.005), text(1e21), text(1.005, { maximumFractionDigits: 2 }), text(12345678901234567890n),
  money(1, { currency: "BHD" }), text(0.125, { style: "percent", maximumFractionDigits: 1 }), money(5, { trailingZeroDisplay: "stripIfInteger" }),
]
