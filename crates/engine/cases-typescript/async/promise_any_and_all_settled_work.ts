// expect: value ["ok", ["fulfilled", "rejected"]]
// freeze: true
const any = await Promise.any([call("fail", { message: "no" }), call("later", {}).then(() => "ok")]);
const all = await Promise.allSettled([call("later", {}), call("fail", { message: "no" })]);
[any, all.map(one => one.status)]
