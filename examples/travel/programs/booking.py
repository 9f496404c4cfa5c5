# A booking takes its time. Between two looks the program rests, and costs nothing.
import asyncio
from servers.travel import book_campground, cancel_booking, get_booking

stay = stays[0]
booking = await book_campground(user_id=user_id, camp_id=stay["camp_id"], first_day=stay["first_day"], nights=stay["nights"])
looks, status = 0, booking["status"]
while status == "pending":
    await asyncio.sleep(0.5)
    status = (await get_booking(user_id=user_id, booking_id=booking["id"]))["status"]
    looks += 1
# Only a trial: somebody else may want the nights.
back = (await cancel_booking(user_id=user_id, booking_id=booking["id"]))["status"]
{"camp": stay["name"], "at first": booking["status"], "in the end": status, "looked more than once": looks > 1, "given back": back}
