"""Asks a service through OpenBB's executor, as `obb` does, and prints what it got as JSON: for the test of the repository."""

import asyncio
import json
import os

from openbb_core.provider.query_executor import QueryExecutor
from openbb_core.provider.registry import Registry
from pydantic import SecretStr

from openbb_crossfile import crossfile_provider


async def main() -> None:
    registry = Registry()
    registry.include_provider(crossfile_provider)
    executor = QueryExecutor(registry)
    credentials = {"crossfile_url": SecretStr(os.environ["BASE"]), "crossfile_api_key": SecretStr(os.environ["KEY"])}

    async def ask(model: str, params: dict, given: dict = credentials) -> dict:
        try:
            answer = await executor.execute("crossfile", model, params, given)
        except Exception as error:  # every failure is part of what is printed
            return {"error": type(error).__name__, "message": str(error)}
        return {"meta": answer.metadata, "rows": [row.model_dump(mode="json") for row in answer.result]}

    questions = json.loads(os.environ["QUESTIONS"])
    found = [await ask(model, params) for model, params in questions]
    found.append(await ask("EquityHistorical", {"symbol": "GLPR.TO"}, {**credentials, "crossfile_api_key": SecretStr("cf_live_wrong")}))
    found.append(await ask("EquityHistorical", {"symbol": "GLPR.TO"}, {}))
    print(json.dumps(found))


asyncio.run(main())
