// expect: value ["https://a.example/c?q=1+2&z=%C3%A4#h", "https://a.example/d", "8080", ["1 2"], false]
const url = new URL("https://A.example:443/b/../c?q=1 2#h");
url.searchParams.set("z", "ä");
[url.href, new URL("/d", url), new URL("http://x:8080").port, url.searchParams.getAll("q"), URL.canParse("nonsense")]
