# expect: ["Echo: ahoy", "The sum of 2 and 3.5 is 5.5.", 36, "The sum of 1 and 1 is 2.",
#   ["image/png", true], 2, "ToolError"]

import asyncio

from servers.everything import echo, get_resource_links, get_structured_content, get_sum, get_tiny_image

said, total, weather, again = await asyncio.gather(
    echo("ahoy"),
    get_sum(a=2, b=3.5),
    get_structured_content(location="Chicago"),
    call_mcp_tool("everything", "get-sum", {"a": 1, "b": 1}),
)

before, picture, after = await get_tiny_image()
path = picture.save("tiny.png")
with open(path, "rb") as file:
    is_png = file.read() == picture.data and picture.data.startswith(b"\x89PNG")

words, *links = await get_resource_links(count=2)

try:
    await get_sum("two", 2)
except ToolError as error:
    refused = "ToolError"

[said, total, weather["temperature"], again, [picture.media_type, is_png], len(links), refused]
