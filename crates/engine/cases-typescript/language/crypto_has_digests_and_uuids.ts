// expect: value ["ba7816bf", true, 36]
const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc")));
const hex = [...digest.slice(0, 4)].map(byte => byte.toString(16).padStart(2, "0")).join("");
[hex, crypto.randomUUID() !== crypto.randomUUID(), crypto.randomUUID().length]
