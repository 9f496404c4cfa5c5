# expect: value {"größe": "żółć 潮 🌊"}
# stdout: "Ünïcode 潮\n"
größe = "żółć 潮 🌊"
print("Ünïcode 潮")
{"größe": größe}
