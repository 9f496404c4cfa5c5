# expect: raised NameError: create_issue
# servers: demo
# hint: Add `from servers.demo import create_issue`
await create_issue("a", "b", "c")
