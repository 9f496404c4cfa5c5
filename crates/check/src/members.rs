//! What common types and modules have, to say which name was most likely meant.
//!
//! Only for suggestions: whether a name is there, the type checker knows.

use crate::kinds::Kind;

const STR: &str = "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii \
    isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans \
    partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip \
    swapcase title translate upper zfill";
const LIST: &str = "append clear copy count extend index insert pop remove reverse sort";
const DICT: &str = "clear copy fromkeys get items keys pop popitem setdefault update values";
const INT: &str =
    "bit_count bit_length denominator from_bytes imag is_integer numerator real to_bytes";
const SET: &str = "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset \
    issuperset pop remove symmetric_difference union update";
const MODULES: [(&str, &str); 9] = [
    ("collections", "ChainMap Counter OrderedDict defaultdict deque namedtuple"),
    ("datetime", "UTC date datetime time timedelta timezone"),
    (
        "itertools",
        "accumulate batched chain combinations count cycle groupby islice pairwise permutations product repeat starmap takewhile zip_longest",
    ),
    ("json", "JSONDecodeError dump dumps load loads"),
    (
        "math",
        "ceil comb cos dist e exp fabs factorial floor fsum gcd hypot inf isclose isfinite isinf isnan isqrt log log10 log2 nan pi pow prod radians sin sqrt tan tau trunc",
    ),
    (
        "random",
        "betavariate choice choices gauss normalvariate randint random randrange sample seed shuffle uniform",
    ),
    ("re", "compile escape findall finditer fullmatch match search split sub subn"),
    (
        "statistics",
        "correlation covariance fmean geometric_mean harmonic_mean linear_regression mean median median_high median_low mode multimode pstdev pvariance quantiles stdev variance",
    ),
    (
        "asyncio",
        "Event Lock Queue Semaphore TaskGroup as_completed create_task gather run sleep timeout wait wait_for",
    ),
];

/// The methods of a type.
pub(crate) fn of_kind(kind: &Kind) -> impl Iterator<Item = &'static str> {
    let names = match kind {
        Kind::Str(_) => STR,
        Kind::List => LIST,
        Kind::Int(_) => INT,
        Kind::Dict => DICT,
        Kind::Set => SET,
        _ => "",
    };
    names.split_whitespace()
}

/// What is in a module, as far as it is listed here.
pub(crate) fn of_module(module: &str) -> impl Iterator<Item = &'static str> {
    let found = MODULES.iter().find(|(name, _)| *name == module);
    found.map_or("", |(_, names)| names).split_whitespace()
}
