# Everything that the house does again and again.
import automation

found = (await automation.detect_patterns("2026-01-05", "2026-01-12", ["motion_then_light", "daily_routine", "left_on_at_night"]))["patterns"]
[f"{one['pattern_type']}: {one['entity_id']}, {one['occurrences']} times, {one['after']} to {one['before']}" for one in found]
