// expect: value ["2024-02-29T12:30:00.000Z", null]
[new Date("2024-02-29T12:30:00Z"), new Date(NaN)]
