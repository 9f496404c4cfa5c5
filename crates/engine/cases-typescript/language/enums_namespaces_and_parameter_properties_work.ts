// expect: value [1, "Green", 5, 7]
enum Color { Red, Green }
namespace Sizes { export const large = 5 }
class Box { constructor(private readonly width: number) {} get size() { return this.width } }
[Color.Green, Color[1], Sizes.large, new Box(7).size]
