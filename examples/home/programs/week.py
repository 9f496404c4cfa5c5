# A sensor's week, and what happened in it.
import data

points = (await data.query_device_history("motion_03"))["points"]
events = await data.search_events(event="motion", device_id="motion_03")
{"points": len(points), "from": points[0]["time"], "to": points[-1]["time"], "motions": events["count"]}
