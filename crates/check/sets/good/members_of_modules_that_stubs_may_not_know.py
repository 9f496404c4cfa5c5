import asyncio
import collections.abc
import datetime
import json
import math
import os.path
import re
import statistics

print(json.decoder.JSONDecodeError, datetime.UTC, math.tau, re.NOFLAG, os.path.basename("/a/b"), statistics.fmean([1, 2]), collections.abc.Mapping, asyncio.Runner, re.Match, json.JSONEncoder().encode({}))
