# Written by scripts/table-stubs.
from typing import Any, Literal, overload
class ndarray:
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
    all: Any
    any: Any
    argmax: Any
    argmin: Any
    argpartition: Any
    argsort: Any
    astype: Any
    base: Any
    byteswap: Any
    choose: Any
    clip: Any
    compress: Any
    conj: Any
    conjugate: Any
    copy: Any
    ctypes: Any
    cumprod: Any
    cumsum: Any
    data: Any
    device: Any
    diagonal: Any
    dot: Any
    dtype: Any
    dump: Any
    dumps: Any
    fill: Any
    flags: Any
    flat: Any
    flatten: Any
    getfield: Any
    imag: Any
    item: Any
    itemsize: Any
    mT: Any
    max: Any
    mean: Any
    min: Any
    nbytes: Any
    ndim: Any
    nonzero: Any
    partition: Any
    prod: Any
    put: Any
    ravel: Any
    real: Any
    repeat: Any
    reshape: Any
    resize: Any
    round: Any
    searchsorted: Any
    setfield: Any
    setflags: Any
    shape: Any
    size: Any
    sort: Any
    squeeze: Any
    std: Any
    strides: Any
    sum: Any
    swapaxes: Any
    take: Any
    to_device: Any
    tobytes: Any
    tofile: Any
    tolist: Any
    trace: Any
    transpose: Any
    var: Any
    view: Any
False_: Any
ScalarType: Any
True_: Any
abs: Any
absolute: Any
acos: Any
acosh: Any
add: Any
all: Any
allclose: Any
amax: Any
amin: Any
angle: Any
any: Any
append: Any
apply_along_axis: Any
apply_over_axes: Any
def arange(*values: Any, **named: Any) -> ndarray: ...
arccos: Any
arccosh: Any
arcsin: Any
arcsinh: Any
arctan: Any
arctan2: Any
arctanh: Any
argmax: Any
argmin: Any
argpartition: Any
argsort: Any
argwhere: Any
around: Any
def array(*values: Any, **named: Any) -> ndarray: ...
array2string: Any
array_equal: Any
array_equiv: Any
array_repr: Any
array_split: Any
array_str: Any
asanyarray: Any
def asarray(*values: Any, **named: Any) -> ndarray: ...
asarray_chkfinite: Any
ascontiguousarray: Any
asfortranarray: Any
asin: Any
asinh: Any
asmatrix: Any
astype: Any
atan: Any
atan2: Any
atanh: Any
atleast_1d: Any
atleast_2d: Any
atleast_3d: Any
average: Any
bartlett: Any
base_repr: Any
binary_repr: Any
bincount: Any
bitwise_and: Any
bitwise_count: Any
bitwise_invert: Any
bitwise_left_shift: Any
bitwise_not: Any
bitwise_or: Any
bitwise_right_shift: Any
bitwise_xor: Any
blackman: Any
block: Any
bmat: Any
bool: Any
bool_: Any
broadcast: Any
broadcast_arrays: Any
broadcast_shapes: Any
broadcast_to: Any
busday_count: Any
busday_offset: Any
busdaycalendar: Any
byte: Any
bytes_: Any
c_: Any
can_cast: Any
cbrt: Any
cdouble: Any
ceil: Any
char: Any
character: Any
choose: Any
clip: Any
clongdouble: Any
column_stack: Any
common_type: Any
complex128: Any
complex192: Any
complex256: Any
complex64: Any
complexfloating: Any
compress: Any
concat: Any
concatenate: Any
conj: Any
conjugate: Any
convolve: Any
copy: Any
copysign: Any
copyto: Any
core: Any
corrcoef: Any
correlate: Any
cos: Any
cosh: Any
count_nonzero: Any
cov: Any
cross: Any
csingle: Any
ctypeslib: Any
cumprod: Any
cumsum: Any
cumulative_prod: Any
cumulative_sum: Any
datetime64: Any
datetime_as_string: Any
datetime_data: Any
deg2rad: Any
degrees: Any
delete: Any
diag: Any
diag_indices: Any
diag_indices_from: Any
diagflat: Any
diagonal: Any
diff: Any
digitize: Any
divide: Any
divmod: Any
dot: Any
double: Any
dsplit: Any
dstack: Any
dtype: Any
dtypes: Any
e: Any
ediff1d: Any
einsum: Any
einsum_path: Any
emath: Any
def empty(*values: Any, **named: Any) -> ndarray: ...
empty_like: Any
equal: Any
errstate: Any
euler_gamma: Any
exceptions: Any
exp: Any
exp2: Any
expand_dims: Any
expm1: Any
extract: Any
def eye(*values: Any, **named: Any) -> ndarray: ...
f2py: Any
fabs: Any
fft: Any
fill_diagonal: Any
finfo: Any
fix: Any
flatiter: Any
flatnonzero: Any
flexible: Any
flip: Any
fliplr: Any
flipud: Any
float128: Any
float16: Any
float32: Any
float64: Any
float96: Any
float_power: Any
floating: Any
floor: Any
floor_divide: Any
fmax: Any
fmin: Any
fmod: Any
format_float_positional: Any
format_float_scientific: Any
frexp: Any
from_dlpack: Any
frombuffer: Any
fromfile: Any
fromfunction: Any
fromiter: Any
frompyfunc: Any
fromregex: Any
fromstring: Any
def full(*values: Any, **named: Any) -> ndarray: ...
full_like: Any
gcd: Any
generic: Any
genfromtxt: Any
geomspace: Any
get_include: Any
get_printoptions: Any
getbufsize: Any
geterr: Any
geterrcall: Any
gradient: Any
greater: Any
greater_equal: Any
half: Any
hamming: Any
hanning: Any
heaviside: Any
histogram: Any
histogram2d: Any
histogram_bin_edges: Any
histogramdd: Any
hsplit: Any
hstack: Any
hypot: Any
i0: Any
def identity(*values: Any, **named: Any) -> ndarray: ...
iinfo: Any
imag: Any
index_exp: Any
indices: Any
inexact: Any
inf: Any
info: Any
inner: Any
insert: Any
int16: Any
int32: Any
int64: Any
int8: Any
int_: Any
intc: Any
integer: Any
interp: Any
intersect1d: Any
intp: Any
invert: Any
is_busday: Any
isclose: Any
iscomplex: Any
iscomplexobj: Any
isdtype: Any
isfinite: Any
isfortran: Any
isin: Any
isinf: Any
isnan: Any
isnat: Any
isneginf: Any
isposinf: Any
isreal: Any
isrealobj: Any
isscalar: Any
issubdtype: Any
iterable: Any
ix_: Any
kaiser: Any
kron: Any
lcm: Any
ldexp: Any
left_shift: Any
less: Any
less_equal: Any
lexsort: Any
lib: Any
linalg: Any
def linspace(*values: Any, **named: Any) -> ndarray: ...
little_endian: Any
load: Any
loadtxt: Any
log: Any
log10: Any
log1p: Any
log2: Any
logaddexp: Any
logaddexp2: Any
logical_and: Any
logical_not: Any
logical_or: Any
logical_xor: Any
logspace: Any
long: Any
longdouble: Any
longlong: Any
ma: Any
mask_indices: Any
matlib: Any
matmul: Any
matrix: Any
matrix_transpose: Any
matvec: Any
max: Any
maximum: Any
may_share_memory: Any
mean: Any
median: Any
memmap: Any
meshgrid: Any
mgrid: Any
min: Any
min_scalar_type: Any
minimum: Any
mintypecode: Any
mod: Any
modf: Any
moveaxis: Any
multiply: Any
nan: Any
nan_to_num: Any
nanargmax: Any
nanargmin: Any
nancumprod: Any
nancumsum: Any
nanmax: Any
nanmean: Any
nanmedian: Any
nanmin: Any
nanpercentile: Any
nanprod: Any
nanquantile: Any
nanstd: Any
nansum: Any
nanvar: Any
ndenumerate: Any
ndim: Any
ndindex: Any
nditer: Any
negative: Any
nested_iters: Any
newaxis: Any
nextafter: Any
nonzero: Any
not_equal: Any
number: Any
object_: Any
ogrid: Any
def ones(*values: Any, **named: Any) -> ndarray: ...
ones_like: Any
outer: Any
packbits: Any
pad: Any
partition: Any
percentile: Any
permute_dims: Any
pi: Any
piecewise: Any
place: Any
poly: Any
poly1d: Any
polyadd: Any
polyder: Any
polydiv: Any
polyfit: Any
polyint: Any
polymul: Any
polynomial: Any
polysub: Any
polyval: Any
positive: Any
pow: Any
power: Any
printoptions: Any
prod: Any
promote_types: Any
ptp: Any
put: Any
put_along_axis: Any
putmask: Any
quantile: Any
r_: Any
rad2deg: Any
radians: Any
random: Any
ravel: Any
ravel_multi_index: Any
real: Any
real_if_close: Any
rec: Any
recarray: Any
reciprocal: Any
record: Any
remainder: Any
repeat: Any
require: Any
reshape: Any
resize: Any
result_type: Any
right_shift: Any
rint: Any
roll: Any
rollaxis: Any
roots: Any
rot90: Any
round: Any
row_stack: Any
s_: Any
save: Any
savetxt: Any
savez: Any
savez_compressed: Any
sctypeDict: Any
searchsorted: Any
select: Any
set_printoptions: Any
setbufsize: Any
setdiff1d: Any
seterr: Any
seterrcall: Any
setxor1d: Any
shape: Any
shares_memory: Any
short: Any
show_config: Any
show_runtime: Any
sign: Any
signbit: Any
signedinteger: Any
sin: Any
sinc: Any
single: Any
sinh: Any
size: Any
sort: Any
sort_complex: Any
spacing: Any
split: Any
sqrt: Any
square: Any
squeeze: Any
stack: Any
std: Any
str_: Any
strings: Any
subtract: Any
sum: Any
swapaxes: Any
take: Any
take_along_axis: Any
tan: Any
tanh: Any
tensordot: Any
test: Any
testing: Any
tile: Any
timedelta64: Any
trace: Any
transpose: Any
trapezoid: Any
tri: Any
tril: Any
tril_indices: Any
tril_indices_from: Any
trim_zeros: Any
triu: Any
triu_indices: Any
triu_indices_from: Any
true_divide: Any
trunc: Any
typecodes: Any
typename: Any
typing: Any
ubyte: Any
ufunc: Any
uint: Any
uint16: Any
uint32: Any
uint64: Any
uint8: Any
uintc: Any
uintp: Any
ulong: Any
ulonglong: Any
union1d: Any
unique: Any
unique_all: Any
unique_counts: Any
unique_inverse: Any
unique_values: Any
unpackbits: Any
unravel_index: Any
unsignedinteger: Any
unstack: Any
unwrap: Any
ushort: Any
vander: Any
var: Any
vdot: Any
vecdot: Any
vecmat: Any
vectorize: Any
void: Any
vsplit: Any
vstack: Any
where: Any
def zeros(*values: Any, **named: Any) -> ndarray: ...
zeros_like: Any
