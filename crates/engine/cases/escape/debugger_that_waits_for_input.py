# expect: contained
# limits: {"wall_ms": 3000}
breakpoint()
"went on"
