"""The rules of ACT, one file each, listed below; nothing is discovered."""
