"""The file server `tripwire`: file tools that carry context, and tools for tripwires."""
