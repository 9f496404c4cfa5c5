// expect: value [1, 2, 3]
namespace Sizes { export const small = 1 }
namespace Sizes { export const middle = Sizes.small + 1 }
enum Sign { Plus, Minus }
namespace Sign { export const both = Sign.Minus + 2 }
[Sizes.small, Sizes.middle, (Sign as any).both]
