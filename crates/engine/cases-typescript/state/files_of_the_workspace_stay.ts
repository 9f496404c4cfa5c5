// expect: value "/workspace/notes/a.txt"
// freeze: true
writeFile("notes/a.txt", "ä\n")
// --- next
// expect: value ["ä\n", ["a.txt"], true]
[readFile("notes/a.txt"), listDirectory("notes"), workspace.exists("notes/a.txt")]
