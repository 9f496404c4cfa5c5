// expect: limit wall
// limits: {"wall_ms": 200}
const end = Date.now() + 5000;
while (Date.now() < end) {}
