# expect: contained
raise StopIteration("value")
