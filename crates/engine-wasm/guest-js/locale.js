// Numbers, dates and words as people write and order them: what `toLocaleString` and `localeCompare` say.
//
// QuickJS has no Intl and lets options pass unread, so that a program would get another text than it asked for without a
// word. Here it is English, whatever language is asked for, and the clock is UTC; another time zone is refused, and so is what
// `numbers.js` does not do.

// --- numbers ------------------------------------------------------------------------------------
/** Digits in groups of three, as in English; the only form there is here. */
Number.prototype.toLocaleString = function toLocaleString(_, options) {
  return numberText(Number(this), options ?? {});
};
BigInt.prototype.toLocaleString = function toLocaleString(_, options) {
  return numberText(this.valueOf(), options ?? {});
};

// --- dates --------------------------------------------------------------------------------------

const MONTHS = "January February March April May June July August September October November December".split(" ");
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const LONG_DAY = { year: "numeric", month: "long", day: "numeric" };
const DATE_STYLES = {
  __proto__: null,
  full: { weekday: "long", ...LONG_DAY },
  long: LONG_DAY,
  medium: { ...LONG_DAY, month: "short" },
  short: { year: "2-digit", month: "numeric", day: "numeric" },
};
const MINUTES = { hour: "numeric", minute: "2-digit" };
const SECONDS = { ...MINUTES, second: "2-digit" };
const TIME_STYLES = {
  __proto__: null,
  full: { ...SECONDS, timeZoneName: "long" },
  long: { ...SECONDS, timeZoneName: "short" },
  medium: SECONDS,
  short: MINUTES,
};
const DAY_PARTS = ["weekday", "year", "month", "day"];
const CLOCK_PARTS = ["hour", "minute", "second", "fractionalSecondDigits"];
const DAY = { year: "numeric", month: "numeric", day: "numeric" };
const UTC_NAMES = ["utc", "gmt", "etc/utc", "etc/gmt", "z", "+00:00"];

/** Which parts of a date are wanted, and how each is written. */
function partsWanted(options, asked, otherwise) {
  const { timeZone, dateStyle, timeStyle } = options;
  if (timeZone !== undefined && !UTC_NAMES.includes(String(timeZone).toLowerCase())) {
    const error = new RangeError(`the time zone ${quoted(String(timeZone))} is not available here; dates are in UTC`);
    error.tidegateHint = "Add the hours yourself: `new Date(date.getTime() + hours * 3_600_000)`, and leave `timeZone` out.";
    throw error;
  }
  if (dateStyle !== undefined || timeStyle !== undefined) {
    if ((asked === "date" && timeStyle !== undefined) || (asked === "time" && dateStyle !== undefined)) {
      throw new TypeError(`${asked === "date" ? "timeStyle" : "dateStyle"} cannot be used here; toLocaleString takes both`);
    }
    return { ...options, ...styled(DATE_STYLES, dateStyle), ...styled(TIME_STYLES, timeStyle) };
  }
  const looked = { date: DAY_PARTS, time: CLOCK_PARTS, any: [...DAY_PARTS, ...CLOCK_PARTS] }[asked];
  return looked.some(part => options[part] !== undefined) ? options : { ...options, ...otherwise };
}

function styled(styles, name) {
  if (name !== undefined && styles[name] === undefined) {
    throw new RangeError(`${quoted(String(name))} is not a style; ${keysOf(styles).join(", ")} are`);
  }
  return name === undefined ? {} : styles[name];
}

const two = number => String(number).padStart(2, "0");
const digits = (number, style) => (style === "2-digit" ? two(number % 100) : String(number));
const named = (name, style) => (style === "long" ? name : style === "narrow" ? name[0] : name.slice(0, 3));

function dayText(date, { weekday, year, month, day }) {
  const isNamed = month !== undefined && month !== "numeric" && month !== "2-digit";
  const monthText = month && (isNamed ? named(MONTHS[date.getUTCMonth()], month) : digits(date.getUTCMonth() + 1, month));
  const dayOf = day && digits(date.getUTCDate(), day);
  const yearText = year && digits(date.getUTCFullYear(), year);
  const weekdayText = weekday && named(WEEKDAYS[date.getUTCDay()], weekday);
  let text;
  if (isNamed) {
    const first = dayOf ? `${monthText} ${dayOf}` : monthText;
    text = yearText ? `${first}${dayOf ? "," : ""} ${yearText}` : first;
  } else if (dayOf && yearText && !monthText) {
    text = `${yearText} (day: ${dayOf})`;
  } else {
    text = [monthText, dayOf, yearText].filter(Boolean).join("/");
  }
  if (!weekdayText || text === "") {
    return weekdayText ?? text;
  }
  return monthText && dayOf ? `${weekdayText}, ${text}` : `${text} ${weekdayText}`;
}

function clockText(date, { hour, minute, second, fractionalSecondDigits, hour12, hourCycle, timeZoneName }) {
  const isHalved = hour12 ?? (hourCycle === undefined || hourCycle === "h12" || hourCycle === "h11");
  const hours = date.getUTCHours();
  const parts = [];
  if (hour !== undefined) {
    parts.push(isHalved ? digits(hours % 12 || 12, hour) : two(hours));
  }
  if (minute !== undefined) {
    parts.push(digits(date.getUTCMinutes(), hour !== undefined || second !== undefined ? "2-digit" : minute));
  }
  if (second !== undefined) {
    parts.push(digits(date.getUTCSeconds(), minute !== undefined ? "2-digit" : second));
  }
  let text = parts.join(":");
  if (fractionalSecondDigits !== undefined) {
    const fraction = String(date.getUTCMilliseconds()).padStart(3, "0").slice(0, fractionalSecondDigits);
    text = second === undefined ? fraction : `${text}.${fraction}`;
  }
  if (hour !== undefined && isHalved) {
    text += hours < 12 ? " AM" : " PM";
  }
  const zone = timeZoneName === undefined ? "" : timeZoneName === "long" ? "Coordinated Universal Time" : "UTC";
  return text === "" ? zone : `${text}${zone && " "}${zone}`;
}

function dateText(date, locales, given, asked, otherwise) {
  if (Number.isNaN(dateTime(date))) {
    return "Invalid Date";
  }
  const options = { ...given };
  const wanted = partsWanted(options, asked, otherwise);
  // The two languages by which programs write dates as ISO 8601 does.
  const language = String(isArray(locales) ? locales[0] : locales);
  const isSwedish = /^sv\b/i.test(language);
  let day = dayText(date, wanted);
  if ((isSwedish || /^en-ca$/i.test(language)) && wanted.month && wanted.day && wanted.year === "numeric" && !wanted.weekday && /^[\d/]+$/.test(day)) {
    day = dateToISO(date).split("T")[0];
  }
  const clock = clockText(date, isSwedish ? { hour12: false, ...wanted } : wanted);
  if (day === "" || clock === "") {
    return day || clock;
  }
  const isAlone = wanted.weekday && !wanted.month && !wanted.day && !wanted.year;
  return day + (isAlone || isSwedish ? " " : wanted.month === "long" ? " at " : ", ") + clock;
}

for (const [name, asked, otherwise] of [
  ["toLocaleString", "any", { ...DAY, ...SECONDS }],
  ["toLocaleDateString", "date", DAY],
  ["toLocaleTimeString", "time", SECONDS],
]) {
  const method = { [name](locales, options) { return dateText(this, locales, options, asked, otherwise); } }[name];
  defineProperty(method, "length", { value: 0, configurable: true });
  defineProperty(Date.prototype, name, { value: method, writable: true, configurable: true });
}

// --- words ----------------------------------------------------------------------------------------

// What comes before digits and letters, in the order of Unicode's own collation.
const MARKS = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
const ordered = Array.from({ length: 128 }, (_, code) => {
  const letter = characters(code);
  const mark = MARKS.indexOf(letter);
  return /[a-z]/i.test(letter) ? 1000 + letter.toLowerCase().charCodeAt(0) : /\d/.test(letter) ? 500 + code : mark >= 0 ? 200 + mark : code;
});

/** Where a letter stands, whatever its case. */
function standing(letter) {
  const code = letter.codePointAt(0);
  if (code < 128) {
    return ordered[code];
  }
  return /\p{L}/u.test(letter) ? 2000 + letter.toLowerCase().codePointAt(0) : 300 + code / 0x110000;
}

const isMark = letter => letter >= "\u0300" && letter <= "\u036f";
const isDigit = letter => letter >= "0" && letter <= "9";
const less = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

// Letters that are others with something through them, or two of them.
const FOLDED = { __proto__: null, ß: "ss", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", ø: "o\u0338", Ø: "O\u0338", ł: "l\u0335", Ł: "L\u0335", đ: "d\u0335", Đ: "D\u0335" };
const FOLDS = /[ßæÆœŒøØłŁđĐ]/g;

/** Letters with what is written above and below each, and with `numeric` whole numbers: `[[base, marks], …]`. */
function lettersOf(text, numeric) {
  const found = [];
  for (const letter of text.replace(FOLDS, one => FOLDED[one]).normalize("NFD")) {
    const last = found.at(-1);
    if (last !== undefined && isMark(letter)) {
      last[1] += letter;
    } else if (numeric && last !== undefined && isDigit(letter) && isDigit(last[0][0])) {
      last[0] += letter;
    } else {
      found.push([letter, ""]);
    }
  }
  return found;
}

/** Two letters, or two whole numbers, whatever their case. */
function comparedBase(one, other) {
  if (isDigit(one[0]) && isDigit(other[0]) && one.length + other.length > 2) {
    const [first, second] = [one.replace(/^0+(?=\d)/, ""), other.replace(/^0+(?=\d)/, "")];
    return less(first.length, second.length) || less(first, second);
  }
  return less(standing(one), standing(other));
}

const DIFFERS_BY_MARKS = ["accent", "variant"];
const DIFFERS_BY_CASE = ["case", "variant"];
// The most digits that a number holds.
const MOST_DIGITS = 15;

/** Where the digits end that begin at `at`. */
function endOfDigits(text, at) {
  let end = at + 1;
  for (let code = text.charCodeAt(end); code >= 48 && code <= 57; code = text.charCodeAt(end)) {
    end++;
  }
  return end;
}

/** Two texts in ASCII, without making anything of them: sorting has to be quick. Null where that does not do. */
function comparedPlain(one, other, numeric, byCase) {
  const { length } = one;
  const otherLength = other.length;
  let cases = 0;
  let at = 0;
  let to = 0;
  while (at < length && to < otherLength) {
    const first = one.charCodeAt(at);
    const second = other.charCodeAt(to);
    if (first > 127 || second > 127) {
      return null;
    }
    if (numeric && first >= 48 && first <= 57 && second >= 48 && second <= 57) {
      const end = endOfDigits(one, at);
      const otherEnd = endOfDigits(other, to);
      if (end - at > MOST_DIGITS || otherEnd - to > MOST_DIGITS) {
        return null;
      }
      const far = Number(one.slice(at, end)) - Number(other.slice(to, otherEnd));
      if (far !== 0) {
        return far < 0 ? -1 : 1;
      }
      at = end;
      to = otherEnd;
      continue;
    }
    if (first !== second) {
      const far = ordered[first] - ordered[second];
      if (far !== 0) {
        return far < 0 ? -1 : 1;
      }
      // Small letters come first.
      if (cases === 0) {
        cases = first > second ? -1 : 1;
      }
    }
    at++;
    to++;
  }
  // What comes next may be a mark on the last letter.
  if (one.charCodeAt(at) > 127 || other.charCodeAt(to) > 127) {
    return null;
  }
  return less(length - at, otherLength - to) || (byCase ? cases : 0);
}

/** The same for any text. */
function comparedWhole(one, other, numeric, byCase, byMarks) {
  const [first, second] = [lettersOf(one, numeric), lettersOf(other, numeric)];
  let [marks, cases] = [0, 0];
  for (let at = 0; at < Math.min(first.length, second.length); at++) {
    const [[base, above], [otherBase, otherAbove]] = [first[at], second[at]];
    const far = comparedBase(base, otherBase);
    if (far !== 0) {
      return far;
    }
    marks ||= less(above, otherAbove);
    cases ||= isDigit(base[0]) ? 0 : less(otherBase, base);
  }
  return less(first.length, second.length) || (byMarks ? marks : 0) || (byCase ? cases : 0);
}

const localeCompare = {
  localeCompare(that, _, options) {
    if (this === undefined || this === null) {
      throw new TypeError("String.prototype.localeCompare needs a text");
    }
    const one = `${this}`;
    const other = `${that}`;
    if (options === undefined) {
      return comparedPlain(one, other, false, true) ?? comparedWhole(one, other, false, true, true);
    }
    const { numeric = false, sensitivity = "variant" } = options;
    const byCase = DIFFERS_BY_CASE.includes(sensitivity);
    const byMarks = DIFFERS_BY_MARKS.includes(sensitivity);
    return comparedPlain(one, other, numeric, byCase) ?? comparedWhole(one, other, numeric, byCase, byMarks);
  },
}.localeCompare;
defineProperty(localeCompare, "length", { value: 1, configurable: true });
String.prototype.localeCompare = localeCompare;
