# expect: raised ValueError: invalid literal
# line: 4
def parse(text):
    # A comment counts as a line.

    return int(text)


parse("12")
parse("twelve")
