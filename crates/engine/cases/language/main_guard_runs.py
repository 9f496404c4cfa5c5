# expect: value "ran"
def main():
    return "ran"


if __name__ == "__main__":
    result = main()
