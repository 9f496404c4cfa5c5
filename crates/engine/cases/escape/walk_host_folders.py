# expect: value []
import os

found = []
for top in ("/proc", "/sys", "/dev", "/etc", "/home", "/root", "/tmp", "/var", "/run", "/bin", "/usr/bin", "/mnt", "/opt"):
    for folder, folders, files in os.walk(top):
        found += [folder, *folders, *files][:5]
found
