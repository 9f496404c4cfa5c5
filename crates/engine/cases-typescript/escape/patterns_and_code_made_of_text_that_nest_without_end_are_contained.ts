// expect: contained
const deep = (one: string, middle: string, other: string) => one.repeat(100_000) + middle + other.repeat(100_000);
const end = (task: () => unknown) => {
  try {
    task();
    return "no error";
  } catch (error) {
    return error instanceof RangeError || error instanceof InternalError ? "SyntaxError" : (error as Error).name;
  }
};
declare const InternalError: ErrorConstructor;
[
  end(() => new RegExp(deep("(", "a", ")"))),
  end(() => new RegExp(deep("(?=", "a", ")"))),
  end(() => new RegExp(deep("[", "a", "]"), "v")),
  end(() => new Function("return " + deep("(", "1", ")"))),
  end(() => (0, eval)(deep("[", "", "]"))),
  end(() => new Function("return /" + deep("(", "a", ")") + "/")),
  end(() => JSON.parse(deep("[", "", "]"))),
  end(() => "x".repeat(100_000).match(/(x+x+)+$/s)),
  end(() => "x".repeat(100_000).match(/^(?:x|(?:y))*$/)),
]
