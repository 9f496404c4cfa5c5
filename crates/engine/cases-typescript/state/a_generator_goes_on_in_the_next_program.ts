// expect: value 1
// freeze: true
function* numbers() { for (let n = 1; ; n++) yield n }
const source = numbers();
source.next().value
// --- next
// expect: value [2, 3]
[source.next().value, source.next().value]
