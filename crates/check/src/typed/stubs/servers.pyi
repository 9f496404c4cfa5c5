from typing import Any

from tidegate import ArgumentError as ArgumentError
from tidegate import MissingAwait as MissingAwait
from tidegate import PolicyError as PolicyError
from tidegate import ServerError as ServerError
from tidegate import ToolError as ToolError
from tidegate import UnknownTool as UnknownTool
from tidegate import call_mcp_tool as call_mcp_tool
from tidegate import callMCPTool as callMCPTool
from tidegate import get_prompt as get_prompt
from tidegate import list_prompts as list_prompts
from tidegate import list_resources as list_resources
from tidegate import read_resource as read_resource

UNSET: Any
tool: Any
lazy: Any

def __getattr__(name: str) -> Any: ...
