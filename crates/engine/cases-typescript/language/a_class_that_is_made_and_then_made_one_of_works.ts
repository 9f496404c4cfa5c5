// expect: value [2, 3, 4]
class Counter { constructor(public from: number) {} }
class Maker { made = Counter; constructor() { return class extends Counter { made = Counter } as any } }
const [one, other]: any[] = [new (new (Maker as any)())(2), new new (Maker as any)()(3)];
[one.from, other.from, new (new (class { made = Counter } as any)().made)(4).from]
