# expect: value {"1": "one", "2": "two"}
{1: "one", 2: "two"}
