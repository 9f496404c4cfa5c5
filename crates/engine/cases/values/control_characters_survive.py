# expect: value "\u0000\u0001\t\u007f\u2028"
"\x00\x01\t\x7f\u2028"
