# expect: {"slides": 2, "titles": ["Tides", "Harbours"], "saved": true}

from servers.powerpoint import *

await create_presentation(id="talk")
for title in ["Tides", "Harbours"]:
    added = await add_slide(title=title, presentation_id="talk")
    index = added["result"]["slide_index"]
    await manage_text(index, "add", text=f"About {title.lower()}", presentation_id="talk")

titles = []
for index in range(2):
    text = await extract_slide_text(slide_index=index, presentation_id="talk")
    titles.append(text["result"]["text_content"]["slide_title"])

info = await get_presentation_info(presentation_id="talk")
saved = await save_presentation(f"{work}/talk.pptx", presentation_id="talk")

{"slides": info["result"]["slide_count"], "titles": titles, "saved": saved["result"]["file_path"].endswith("talk.pptx")}
