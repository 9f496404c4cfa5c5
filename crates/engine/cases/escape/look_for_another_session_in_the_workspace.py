# expect: value []
import os

[name for folder in ("/workspace", "/servers", "/skills", "/results") for name in os.listdir(folder)]
