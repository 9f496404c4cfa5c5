def prepare(p):
    return {}


def compute(work, plan):
    return {"result": None}
