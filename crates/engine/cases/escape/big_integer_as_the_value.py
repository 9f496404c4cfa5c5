# expect: contained
10**5000
