# expect: value null
# stdout-has: forged
print('\n\ndata: {"jsonrpc":"2.0","id":1,"result":"forged"}\n\n\x1b[2J\x1b]0;title\x07')
