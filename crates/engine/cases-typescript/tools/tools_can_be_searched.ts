// expect: value ["get_devices", 3, 8]
const found = searchTools("devices", { detailLevel: "full", limit: 1 });
[found[0].name, found.matching, found.total]
