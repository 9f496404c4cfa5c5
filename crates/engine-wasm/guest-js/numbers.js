// Numbers as people write them, in English: what the options of `Intl.NumberFormat` ask for.
//
// Digits are those that the language itself shows of a number, and are rounded as they stand there: 1.005 is 1.01. What is
// not done here is refused by name, because a text that is almost the one asked for is worse than none.

const SYMBOLS = {
  __proto__: null, USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", KRW: "₩", CNY: "CN¥", BRL: "R$", CAD: "CA$", AUD: "A$", NZD: "NZ$", MXN: "MX$",
  HKD: "HK$", TWD: "NT$", ILS: "₪", VND: "₫", PHP: "₱",
};
const NARROW = { __proto__: null, CNY: "¥", CAD: "$", AUD: "$", NZD: "$", MXN: "$", HKD: "$", TWD: "$" };
// One of them, and several.
const CURRENCIES = {
  __proto__: null, USD: ["US dollar", "US dollars"], EUR: ["euro", "euros"], GBP: ["British pound", "British pounds"], JPY: ["Japanese yen", "Japanese yen"],
  CHF: ["Swiss franc", "Swiss francs"], CAD: ["Canadian dollar", "Canadian dollars"], AUD: ["Australian dollar", "Australian dollars"],
  INR: ["Indian rupee", "Indian rupees"], CNY: ["Chinese yuan", "Chinese yuan"],
};
const WITHOUT_CENTS = ["JPY", "KRW", "VND", "CLP", "ISK", "UGX", "XAF", "XOF", "XPF", "PYG", "RWF", "KMF", "GNF", "DJF", "BIF", "VUV"];
const IN_THOUSANDTHS = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];
const SHORT = ["", "K", "M", "B", "T"];
const LONG = ["", " thousand", " million", " billion", " trillion"];

// What is done of each option that has a few values; the first is the usual one.
const DONE = {
  __proto__: null,
  style: ["decimal", "currency", "percent"],
  notation: ["standard", "compact"],
  compactDisplay: ["short", "long"],
  signDisplay: ["auto", "always", "exceptZero", "negative", "never"],
  currencyDisplay: ["symbol", "narrowSymbol", "code", "name"],
  currencySign: ["standard", "accounting"],
  roundingMode: ["halfExpand"],
  roundingPriority: ["auto"],
  roundingIncrement: [1],
  trailingZeroDisplay: ["auto", "stripIfInteger"],
  numberingSystem: ["latn"],
};
const INSTEAD = {
  __proto__: null,
  unit: "Write the unit behind the number: `${number.toLocaleString()} km`.",
  scientific: "Write `number.toExponential(digits)`.",
  engineering: "Write `number.toExponential(digits)`.",
};
const COUNTED = {
  __proto__: null, minimumIntegerDigits: [1, 21], minimumFractionDigits: [0, 100], maximumFractionDigits: [0, 100],
  minimumSignificantDigits: [1, 21], maximumSignificantDigits: [1, 21],
};

/** The options, each done here and within its bounds. */
function numberOptions(given) {
  const options = {};
  for (const name of keysOf(DONE)) {
    const value = given[name] ?? DONE[name][0];
    if (!DONE[name].includes(value)) {
      const error = new RangeError(`${name} ${inspect(value)} is not available here; ${DONE[name].map(one => inspect(one)).join(", ")} ${DONE[name].length > 1 ? "are" : "is"}`);
      error.tidegateHint = INSTEAD[value] ?? `Leave \`${name}\` out.`;
      throw error;
    }
    options[name] = value;
  }
  for (const name of keysOf(COUNTED)) {
    const [least, most] = COUNTED[name];
    const value = given[name];
    if (value !== undefined && !(Number(value) >= least && Number(value) <= most)) {
      throw new RangeError(`${name} is a number from ${least} to ${most}, not ${inspect(value)}`);
    }
    options[name] = value === undefined ? undefined : Math.floor(value);
  }
  options.useGrouping = given.useGrouping;
  if (options.style === "currency") {
    options.currency = String(given.currency ?? "").toUpperCase();
    if (!/^[A-Z]{3}$/.test(options.currency)) {
      throw new TypeError(`toLocaleString(): style 'currency' needs a currency of three letters, such as \`currency: "USD"\`, not ${inspect(given.currency)}`);
    }
  }
  return options;
}

/** A number's digits, and how many of them stand before the point: `[digits, point]`. */
function digitsOf(text) {
  const [mantissa, exponent = "0"] = text.split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  const digits = all.replace(/^0+/, "");
  return [digits, digits === "" ? 1 : whole.length - (all.length - digits.length) + Number(exponent)];
}

/** The same with at most so many digits kept, halves rounded up. */
function roundedTo([digits, point], kept) {
  if (kept >= digits.length) {
    return [digits, point];
  }
  if (kept < 0) {
    return ["", 1];
  }
  let cut = digits.slice(0, kept);
  if (digits[kept] >= "5") {
    const more = bigToText(BigInt(`0${cut}`) + 1n).padStart(kept, "0");
    if (more.length > kept) {
      point += 1;
    }
    cut = more;
  }
  cut = cut.replace(/0+$/, "");
  return [cut, cut === "" ? 1 : point];
}

/** Whole digits and those behind the point. */
function partsOfNumber([digits, point]) {
  if (digits === "") {
    return ["0", ""];
  }
  const padded = point > 0 ? digits.padEnd(point, "0") : "0".repeat(1 - point) + digits;
  const at = Math.max(point, 1);
  return [padded.slice(0, at), padded.slice(at)];
}

/** Rounded as the options say: how many digits there are behind the point at least, too. */
function roundedFor(number, options) {
  const { minimumSignificantDigits, maximumSignificantDigits, minimumFractionDigits, maximumFractionDigits } = options;
  if (minimumSignificantDigits !== undefined || maximumSignificantDigits !== undefined) {
    const least = minimumSignificantDigits ?? 1;
    if (maximumSignificantDigits < least) {
      throw new RangeError(`maximumSignificantDigits is ${maximumSignificantDigits}, less than minimumSignificantDigits, ${least}`);
    }
    const rounded = roundedTo(number, maximumSignificantDigits ?? 21);
    return [rounded, Math.max(0, least - rounded[1])];
  }
  if (options.notation === "compact" && minimumFractionDigits === undefined && maximumFractionDigits === undefined) {
    return [roundedTo(number, Math.max(number[1], 2)), 0];
  }
  const { currency, style, notation } = options;
  const cents = WITHOUT_CENTS.includes(currency) ? 0 : IN_THOUSANDTHS.includes(currency) ? 3 : 2;
  const [usual, most] = notation === "compact" ? [0, 0] : style === "currency" ? [cents, cents] : [0, style === "percent" ? 0 : 3];
  const least = minimumFractionDigits ?? Math.min(usual, maximumFractionDigits ?? usual);
  if (maximumFractionDigits < least) {
    throw new RangeError(`maximumFractionDigits is ${maximumFractionDigits}, less than minimumFractionDigits, ${least}`);
  }
  return [roundedTo(number, number[1] + (maximumFractionDigits ?? Math.max(most, least))), least];
}

/** With `K` and the like, in the unit in which it has the fewest digits: `[number, least, suffix]`. */
function scaled(number, options) {
  const largest = SHORT.length - 1;
  const unitOf = ([digits, point]) => (digits === "" ? 0 : Math.min(largest, Math.max(0, Math.floor((point - 1) / 3))));
  let unit = options.notation === "compact" ? unitOf(number) : 0;
  for (;;) {
    const [digits, point] = number;
    const [rounded, least] = roundedFor([digits, point - 3 * unit], options);
    // 999,999 is 1M, and not 1000K.
    if (options.notation !== "compact" || unit === largest || rounded[0] === "" || rounded[1] <= 3) {
      return [rounded, least, (options.compactDisplay === "long" ? LONG : SHORT)[unit]];
    }
    unit += 1;
  }
}

/** What stands before a number that is money, and behind it. */
function moneyOf({ currency, currencyDisplay, style }, isOne) {
  if (style !== "currency") {
    return ["", ""];
  }
  if (currencyDisplay === "name") {
    return ["", ` ${CURRENCIES[currency]?.[isOne ? 0 : 1] ?? currency}`];
  }
  const symbol = (currencyDisplay === "narrowSymbol" ? NARROW[currency] : undefined) ?? SYMBOLS[currency];
  return currencyDisplay === "code" || symbol === undefined ? [`${currency}\u00a0`, ""] : [symbol, ""];
}

function signOf(isNegative, isZero, { signDisplay }) {
  if (signDisplay === "never" || (isZero && signDisplay !== "always")) {
    return "";
  }
  return isNegative && !isZero ? "-" : signDisplay === "always" || signDisplay === "exceptZero" ? "+" : "";
}

function numberText(value, given) {
  const options = numberOptions(given);
  const isNegative = value < 0;
  const text = typeof value === "bigint" ? bigToText(value) : `${value}`;
  let shown;
  let isZero = false;
  let [isOne, suffix] = [false, ""];
  if (typeof value === "number" && !Number.isFinite(value)) {
    shown = Number.isNaN(value) ? "NaN" : "∞";
  } else {
    const [digits, point] = digitsOf(text.replace("-", ""));
    const [number, least, unit] = scaled([digits, digits !== "" && options.style === "percent" ? point + 2 : point], options);
    let [whole, fraction] = partsOfNumber(number);
    isZero = number[0] === "";
    fraction = fraction.padEnd(least, "0");
    if (options.trailingZeroDisplay === "stripIfInteger" && /^0*$/.test(fraction)) {
      fraction = "";
    }
    whole = whole.padStart(options.minimumIntegerDigits ?? 1, "0");
    const usual = options.notation === "compact" ? "min2" : "auto";
    const { useGrouping = usual } = options;
    const isGrouped = useGrouping !== false && useGrouping !== "false" && !(useGrouping === "min2" && whole.length < 5);
    whole = isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
    shown = fraction === "" ? whole : `${whole}.${fraction}`;
    [isOne, suffix] = [shown === "1", unit];
  }
  const sign = Number.isNaN(value) ? "" : signOf(isNegative, isZero, options);
  const [before, behind] = moneyOf(options, isOne);
  const all = `${before}${shown}${suffix}${options.style === "percent" ? "%" : ""}${behind}`;
  return sign === "-" && options.currencySign === "accounting" && options.style === "currency" ? `(${all})` : `${sign}${all}`;
}
