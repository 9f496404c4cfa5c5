# expect: raised ValueError
chain = ValueError(0)
for n in range(3000):
    following = ValueError(n)
    following.__cause__ = chain
    chain = following
raise chain
