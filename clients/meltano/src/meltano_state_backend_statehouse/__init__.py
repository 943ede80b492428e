"""Meltano keeps its state in Statehouse, under locks that hold."""
