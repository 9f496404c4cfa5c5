from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import servers as servers
from tidegate import ArgumentError as ArgumentError
from tidegate import MissingAwait as MissingAwait
from tidegate import PolicyError as PolicyError
from tidegate import ServerError as ServerError
from tidegate import ToolError as ToolError
from tidegate import UnknownTool as UnknownTool
from tidegate import ask_model as ask_model
from tidegate import call_mcp_tool as call_mcp_tool
from tidegate import callMCPTool as callMCPTool
from tidegate import get_prompt as get_prompt
from tidegate import list_prompts as list_prompts
from tidegate import list_resources as list_resources
from tidegate import post as post
from tidegate import read_resource as read_resource
from tidegate import receive as receive

from tool_discovery import list_directory as list_directory
from tool_discovery import read_file as read_file
from tool_discovery import search_tools as search_tools
from tool_discovery import summarize as summarize

wait_until: Any
http_get: Any
http_request: Any
spawn: Any
spawn_map: Any
save_skill: Any
search_skills: Any

# A call that waits where it is used, because its function cannot await.
def __tidegate_wait__[R](call: Awaitable[R]) -> R: ...

# What a program changes in passing.
def __tidegate_any__(value: Any) -> Any: ...
def __tidegate_list__(value: Any) -> list[Any]: ...
def __tidegate_dict__(value: Any) -> dict[Any, Any]: ...
def __tidegate_set__(value: Any) -> set[Any]: ...

# What a tool gives, one of several, and a value that is known to be like another.
def __tidegate_result__[R](tool: Callable[..., Awaitable[R]]) -> R: ...
def __tidegate_item__[R](items: Iterable[R]) -> R: ...
def __tidegate_own__[R](like: R, made: Any) -> R: ...
