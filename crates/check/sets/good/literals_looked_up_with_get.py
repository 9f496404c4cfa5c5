codes = {"ok": {"text": "fine"}}
print(codes.get("bad", {}).get("text", "unknown"))
print((codes["bad"] if "bad" in codes else codes["ok"])["text"])
