// expect: value ["€ “a” é", "€"]
[new TextDecoder("windows-1252").decode(new Uint8Array([0x80, 32, 0x93, 97, 0x94, 32, 0xe9])), new TextDecoder("latin1").decode(new Uint8Array([0x80]))]
