# Written by scripts/table-stubs.
from typing import Any, Literal, overload
class DataFrame:
    def __init__(self, *values: Any, **named: Any) -> None: ...
    def __abs__(self, *values: Any) -> Any: ...
    def __add__(self, *values: Any) -> Any: ...
    def __and__(self, *values: Any) -> Any: ...
    def __bool__(self, *values: Any) -> Any: ...
    def __contains__(self, *values: Any) -> Any: ...
    def __delitem__(self, *values: Any) -> Any: ...
    def __divmod__(self, *values: Any) -> Any: ...
    def __eq__(self, *values: Any) -> Any: ...
    def __float__(self, *values: Any) -> Any: ...
    def __floordiv__(self, *values: Any) -> Any: ...
    def __ge__(self, *values: Any) -> Any: ...
    def __getitem__(self, *values: Any) -> Any: ...
    def __gt__(self, *values: Any) -> Any: ...
    def __int__(self, *values: Any) -> Any: ...
    def __invert__(self, *values: Any) -> Any: ...
    def __iter__(self, *values: Any) -> Any: ...
    def __le__(self, *values: Any) -> Any: ...
    def __len__(self, *values: Any) -> Any: ...
    def __lshift__(self, *values: Any) -> Any: ...
    def __lt__(self, *values: Any) -> Any: ...
    def __matmul__(self, *values: Any) -> Any: ...
    def __mod__(self, *values: Any) -> Any: ...
    def __mul__(self, *values: Any) -> Any: ...
    def __ne__(self, *values: Any) -> Any: ...
    def __neg__(self, *values: Any) -> Any: ...
    def __or__(self, *values: Any) -> Any: ...
    def __pos__(self, *values: Any) -> Any: ...
    def __pow__(self, *values: Any) -> Any: ...
    def __radd__(self, *values: Any) -> Any: ...
    def __rand__(self, *values: Any) -> Any: ...
    def __rdivmod__(self, *values: Any) -> Any: ...
    def __reversed__(self, *values: Any) -> Any: ...
    def __rfloordiv__(self, *values: Any) -> Any: ...
    def __rlshift__(self, *values: Any) -> Any: ...
    def __rmatmul__(self, *values: Any) -> Any: ...
    def __rmod__(self, *values: Any) -> Any: ...
    def __rmul__(self, *values: Any) -> Any: ...
    def __ror__(self, *values: Any) -> Any: ...
    def __round__(self, *values: Any) -> Any: ...
    def __rpow__(self, *values: Any) -> Any: ...
    def __rrshift__(self, *values: Any) -> Any: ...
    def __rshift__(self, *values: Any) -> Any: ...
    def __rsub__(self, *values: Any) -> Any: ...
    def __rtruediv__(self, *values: Any) -> Any: ...
    def __rxor__(self, *values: Any) -> Any: ...
    def __setitem__(self, *values: Any) -> Any: ...
    def __sub__(self, *values: Any) -> Any: ...
    def __truediv__(self, *values: Any) -> Any: ...
    def __xor__(self, *values: Any) -> Any: ...
    T: Any
    abs: Any
    add: Any
    add_prefix: Any
    add_suffix: Any
    agg: Any
    aggregate: Any
    align: Any
    all: Any
    any: Any
    apply: Any
    asfreq: Any
    asof: Any
    def assign(self, *values: Any, **named: Any) -> DataFrame: ...
    def astype(self, *values: Any, **named: Any) -> DataFrame: ...
    at: Any
    at_time: Any
    attrs: Any
    axes: Any
    between_time: Any
    bfill: Any
    boxplot: Any
    clip: Any
    columns: Any
    combine: Any
    combine_first: Any
    compare: Any
    convert_dtypes: Any
    def copy(self, *values: Any, **named: Any) -> DataFrame: ...
    corr: Any
    corrwith: Any
    count: Any
    cov: Any
    cummax: Any
    cummin: Any
    cumprod: Any
    cumsum: Any
    def describe(self, *values: Any, **named: Any) -> DataFrame: ...
    diff: Any
    div: Any
    divide: Any
    dot: Any
    @overload
    def drop(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def drop(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    @overload
    def drop_duplicates(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def drop_duplicates(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    droplevel: Any
    @overload
    def dropna(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def dropna(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    dtypes: Any
    duplicated: Any
    empty: Any
    eq: Any
    equals: Any
    eval: Any
    ewm: Any
    expanding: Any
    explode: Any
    ffill: Any
    @overload
    def fillna(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def fillna(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    filter: Any
    first_valid_index: Any
    flags: Any
    floordiv: Any
    from_arrow: Any
    from_dict: Any
    from_records: Any
    ge: Any
    get: Any
    def groupby(self, *values: Any, **named: Any) -> DataFrameGroupBy: ...
    gt: Any
    def head(self, *values: Any, **named: Any) -> DataFrame: ...
    hist: Any
    iat: Any
    idxmax: Any
    idxmin: Any
    iloc: Any
    index: Any
    infer_objects: Any
    info: Any
    insert: Any
    interpolate: Any
    isetitem: Any
    isin: Any
    def isna(self, *values: Any, **named: Any) -> DataFrame: ...
    def isnull(self, *values: Any, **named: Any) -> DataFrame: ...
    items: Any
    iterrows: Any
    itertuples: Any
    join: Any
    keys: Any
    kurt: Any
    kurtosis: Any
    last_valid_index: Any
    le: Any
    loc: Any
    lt: Any
    map: Any
    mask: Any
    max: Any
    mean: Any
    median: Any
    def melt(self, *values: Any, **named: Any) -> DataFrame: ...
    memory_usage: Any
    def merge(self, *values: Any, **named: Any) -> DataFrame: ...
    min: Any
    mod: Any
    mode: Any
    mul: Any
    multiply: Any
    ndim: Any
    ne: Any
    def nlargest(self, *values: Any, **named: Any) -> DataFrame: ...
    def notna(self, *values: Any, **named: Any) -> DataFrame: ...
    def notnull(self, *values: Any, **named: Any) -> DataFrame: ...
    def nsmallest(self, *values: Any, **named: Any) -> DataFrame: ...
    nunique: Any
    pct_change: Any
    pipe: Any
    pivot: Any
    def pivot_table(self, *values: Any, **named: Any) -> DataFrame: ...
    plot: Any
    pop: Any
    pow: Any
    prod: Any
    product: Any
    quantile: Any
    @overload
    def query(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def query(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    radd: Any
    rank: Any
    rdiv: Any
    reindex: Any
    reindex_like: Any
    @overload
    def rename(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def rename(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    rename_axis: Any
    reorder_levels: Any
    @overload
    def replace(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def replace(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    resample: Any
    @overload
    def reset_index(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def reset_index(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    rfloordiv: Any
    rmod: Any
    rmul: Any
    rolling: Any
    def round(self, *values: Any, **named: Any) -> DataFrame: ...
    rpow: Any
    rsub: Any
    rtruediv: Any
    def sample(self, *values: Any, **named: Any) -> DataFrame: ...
    def select_dtypes(self, *values: Any, **named: Any) -> DataFrame: ...
    sem: Any
    set_axis: Any
    set_flags: Any
    @overload
    def set_index(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def set_index(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    shape: Any
    shift: Any
    size: Any
    skew: Any
    @overload
    def sort_index(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def sort_index(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    @overload
    def sort_values(self, *values: Any, inplace: Literal[False] = False, **named: Any) -> DataFrame: ...
    @overload
    def sort_values(self, *values: Any, inplace: Any, **named: Any) -> Any: ...
    sparse: Any
    squeeze: Any
    stack: Any
    std: Any
    style: Any
    sub: Any
    subtract: Any
    sum: Any
    swaplevel: Any
    def tail(self, *values: Any, **named: Any) -> DataFrame: ...
    take: Any
    to_clipboard: Any
    to_csv: Any
    to_dict: Any
    to_excel: Any
    to_feather: Any
    to_hdf: Any
    to_html: Any
    to_iceberg: Any
    to_json: Any
    to_latex: Any
    to_markdown: Any
    to_numpy: Any
    to_orc: Any
    to_parquet: Any
    to_period: Any
    to_pickle: Any
    to_records: Any
    to_sql: Any
    to_stata: Any
    to_string: Any
    to_timestamp: Any
    to_xarray: Any
    to_xml: Any
    transform: Any
    transpose: Any
    truediv: Any
    truncate: Any
    tz_convert: Any
    tz_localize: Any
    unstack: Any
    update: Any
    value_counts: Any
    values: Any
    var: Any
    where: Any
    xs: Any
class DataFrameGroupBy:
    def __init__(self, *values: Any, **named: Any) -> None: ...
    def __abs__(self, *values: Any) -> Any: ...
    def __add__(self, *values: Any) -> Any: ...
    def __and__(self, *values: Any) -> Any: ...
    def __bool__(self, *values: Any) -> Any: ...
    def __contains__(self, *values: Any) -> Any: ...
    def __delitem__(self, *values: Any) -> Any: ...
    def __divmod__(self, *values: Any) -> Any: ...
    def __eq__(self, *values: Any) -> Any: ...
    def __float__(self, *values: Any) -> Any: ...
    def __floordiv__(self, *values: Any) -> Any: ...
    def __ge__(self, *values: Any) -> Any: ...
    def __getitem__(self, *values: Any) -> Any: ...
    def __gt__(self, *values: Any) -> Any: ...
    def __int__(self, *values: Any) -> Any: ...
    def __invert__(self, *values: Any) -> Any: ...
    def __iter__(self, *values: Any) -> Any: ...
    def __le__(self, *values: Any) -> Any: ...
    def __len__(self, *values: Any) -> Any: ...
    def __lshift__(self, *values: Any) -> Any: ...
    def __lt__(self, *values: Any) -> Any: ...
    def __matmul__(self, *values: Any) -> Any: ...
    def __mod__(self, *values: Any) -> Any: ...
    def __mul__(self, *values: Any) -> Any: ...
    def __ne__(self, *values: Any) -> Any: ...
    def __neg__(self, *values: Any) -> Any: ...
    def __or__(self, *values: Any) -> Any: ...
    def __pos__(self, *values: Any) -> Any: ...
    def __pow__(self, *values: Any) -> Any: ...
    def __radd__(self, *values: Any) -> Any: ...
    def __rand__(self, *values: Any) -> Any: ...
    def __rdivmod__(self, *values: Any) -> Any: ...
    def __reversed__(self, *values: Any) -> Any: ...
    def __rfloordiv__(self, *values: Any) -> Any: ...
    def __rlshift__(self, *values: Any) -> Any: ...
    def __rmatmul__(self, *values: Any) -> Any: ...
    def __rmod__(self, *values: Any) -> Any: ...
    def __rmul__(self, *values: Any) -> Any: ...
    def __ror__(self, *values: Any) -> Any: ...
    def __round__(self, *values: Any) -> Any: ...
    def __rpow__(self, *values: Any) -> Any: ...
    def __rrshift__(self, *values: Any) -> Any: ...
    def __rshift__(self, *values: Any) -> Any: ...
    def __rsub__(self, *values: Any) -> Any: ...
    def __rtruediv__(self, *values: Any) -> Any: ...
    def __rxor__(self, *values: Any) -> Any: ...
    def __setitem__(self, *values: Any) -> Any: ...
    def __sub__(self, *values: Any) -> Any: ...
    def __truediv__(self, *values: Any) -> Any: ...
    def __xor__(self, *values: Any) -> Any: ...
    agg: Any
    aggregate: Any
    all: Any
    any: Any
    apply: Any
    bfill: Any
    boxplot: Any
    corr: Any
    corrwith: Any
    count: Any
    cov: Any
    cumcount: Any
    cummax: Any
    cummin: Any
    cumprod: Any
    cumsum: Any
    describe: Any
    diff: Any
    ewm: Any
    expanding: Any
    ffill: Any
    filter: Any
    first: Any
    get_group: Any
    groups: Any
    head: Any
    hist: Any
    idxmax: Any
    idxmin: Any
    indices: Any
    keys: Any
    kurt: Any
    last: Any
    level: Any
    max: Any
    mean: Any
    median: Any
    min: Any
    ndim: Any
    ngroup: Any
    ngroups: Any
    nth: Any
    nunique: Any
    ohlc: Any
    pct_change: Any
    pipe: Any
    plot: Any
    prod: Any
    quantile: Any
    rank: Any
    resample: Any
    rolling: Any
    sample: Any
    sem: Any
    shift: Any
    size: Any
    skew: Any
    std: Any
    sum: Any
    tail: Any
    take: Any
    transform: Any
    value_counts: Any
    var: Any
ArrowDtype: Any
BooleanDtype: Any
Categorical: Any
CategoricalDtype: Any
CategoricalIndex: Any
DateOffset: Any
DatetimeIndex: Any
DatetimeTZDtype: Any
ExcelFile: Any
ExcelWriter: Any
Flags: Any
Float32Dtype: Any
Float64Dtype: Any
Grouper: Any
HDFStore: Any
Index: Any
IndexSlice: Any
Int16Dtype: Any
Int32Dtype: Any
Int64Dtype: Any
Int8Dtype: Any
Interval: Any
IntervalDtype: Any
IntervalIndex: Any
MultiIndex: Any
NA: Any
NaT: Any
NamedAgg: Any
Period: Any
PeriodDtype: Any
PeriodIndex: Any
RangeIndex: Any
Series: Any
SparseDtype: Any
StringDtype: Any
Timedelta: Any
TimedeltaIndex: Any
Timestamp: Any
UInt16Dtype: Any
UInt32Dtype: Any
UInt64Dtype: Any
UInt8Dtype: Any
annotations: Any
api: Any
array: Any
arrays: Any
bdate_range: Any
col: Any
compat: Any
concat: Any
core: Any
crosstab: Any
cut: Any
date_range: Any
describe_option: Any
errors: Any
eval: Any
factorize: Any
from_dummies: Any
get_dummies: Any
get_option: Any
infer_freq: Any
interval_range: Any
io: Any
isna: Any
isnull: Any
json_normalize: Any
lreshape: Any
melt: Any
merge: Any
merge_asof: Any
merge_ordered: Any
notna: Any
notnull: Any
offsets: Any
option_context: Any
options: Any
pandas: Any
period_range: Any
pivot: Any
pivot_table: Any
plotting: Any
qcut: Any
read_clipboard: Any
read_csv: Any
read_excel: Any
read_feather: Any
read_fwf: Any
read_hdf: Any
read_html: Any
read_iceberg: Any
read_json: Any
read_orc: Any
read_parquet: Any
read_pickle: Any
read_sas: Any
read_spss: Any
read_sql: Any
read_sql_query: Any
read_sql_table: Any
read_stata: Any
read_table: Any
read_xml: Any
reset_option: Any
set_eng_float_format: Any
set_option: Any
show_versions: Any
test: Any
testing: Any
timedelta_range: Any
to_datetime: Any
to_numeric: Any
to_pickle: Any
to_timedelta: Any
tseries: Any
unique: Any
util: Any
wide_to_long: Any
