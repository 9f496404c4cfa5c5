// expect: raised SyntaxError: another declaration of the namespace `Sizes`
// line: 2
// hint: Write `Sizes.small`
namespace Sizes { export const small = 1 }
namespace Sizes { export const middle = small + 1 }
