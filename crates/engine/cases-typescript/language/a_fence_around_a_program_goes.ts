// expect: value 2
```ts
const a: number = 1;
a + 1
```
