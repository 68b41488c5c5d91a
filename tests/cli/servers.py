"""A small MCP server of the standard library, and tools for it."""

SERVER = """
import json, sys, time
MODE, TOOLS = sys.argv[1], json.loads(sys.argv[2])
if MODE == "dies":
    sys.exit("cannot reach the ledger, password=Hunter2Xy99zQ7")
if MODE == "hangs":
    time.sleep(60)
for line in sys.stdin:
    if MODE == "garbage":
        print("hello, I am no protocol", flush=True)
    message = json.loads(line)
    if "id" not in message:
        continue
    if MODE == "refuses":
        reply = {"error": {"code": -32603, "message": "no"}}
    elif message["method"] == "initialize":
        reply = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "fixture", "version": "1"}}}
    else:
        at = int((message.get("params") or {}).get("cursor", 0))
        page = {"tools": TOOLS[at : at + 1]}
        if at + 1 < len(TOOLS):
            page["nextCursor"] = str(at + 1)
        reply = {"result": page}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
"""


def tool(name, *inputs, **hints):
    schema = {"type": "object", "properties": {i: {"type": "string"} for i in inputs}}
    return {"name": name, "inputSchema": schema, "annotations": hints}


PAY = (
    tool("send_money", "recipient", "amount"),
    tool("delete_payee", "id"),
    tool("get_rate", "pair"),
)
