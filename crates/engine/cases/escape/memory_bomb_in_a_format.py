# expect: raised ValueError
"%0999999999999d" % 1
