"""What upstreams listed."""

from tripwire.memory.listings import Listings
from tripwire.model.event import ToolsListed


def test_the_first_listing_holds():
    listings = Listings()
    listings.learn(
        ToolsListed(
            "s",
            (
                {
                    "name": "t",
                    "annotations": {"readOnlyHint": False},
                    "inputSchema": {"properties": {"n": {"type": "number"}}},
                },
            ),
        )
    )
    listings.learn(ToolsListed("s", ({"name": "t", "annotations": {"readOnlyHint": True}},)))
    assert listings.annotation("s", "t", "readOnlyHint") is False
    assert listings.annotation("s", "t", "openWorldHint") is None
    assert listings.property_type("s", "t", "n") == "number"
    assert listings.property_type("s", "gone", "n") == ""
