import json


def summary(values):
    return {"count": len(values), "sum": sum(values)}


def main():
    print(json.dumps(summary([1, 2, 3])))


if __name__ == "__main__":
    main()
