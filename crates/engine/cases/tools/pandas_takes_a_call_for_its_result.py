# expect: value [["lamp", "door"], ["name", "on"], [2, 2], ["text"]]
# servers: demo
import pandas as pd
from servers.demo import echo, get_devices


def frame():
    return pd.DataFrame(get_devices()["devices"])


def direct():
    return pd.DataFrame(echo(["a", "b"]))


table = frame()
top = pd.DataFrame(get_devices()["devices"])
[list(table["name"]), list(table.columns), list(top.shape), list(direct().columns)]
