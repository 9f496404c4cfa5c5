// expect: value [[97, 195, 164, 240, 159, 152, 128], "aä😀", "aGk=", "hi"]
const bytes = new TextEncoder().encode("aä😀");
[[...bytes], new TextDecoder().decode(bytes), btoa("hi"), atob("aGk=")]
