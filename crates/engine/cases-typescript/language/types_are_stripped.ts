// expect: value {"name": "ada", "age": 36}
interface Person { name: string; age?: number }
type Maybe<T> = T | undefined;
function birthday<T extends Person>(person: T, by: Maybe<number> = 1): T {
  return { ...person, age: (person.age ?? 0) + by! };
}
const ada = birthday({ name: "ada", age: 35 } satisfies Person as Person);
ada
