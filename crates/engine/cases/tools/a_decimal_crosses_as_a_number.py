# expect: value [{"price": 1.1, "count": 3, "many": [0.5, {"deep": -2.25}], "none": "NaN"}, {"price": 1.1}]
# servers: demo
from decimal import Decimal

from servers.demo import anything

[
    await anything(price=Decimal("1.10"), count=Decimal(3), many=[Decimal("0.5"), {"deep": Decimal("-2.25")}], none=Decimal("NaN")),
    await call_mcp_tool("demo", "anything", {"price": Decimal("1.10")}),
]
