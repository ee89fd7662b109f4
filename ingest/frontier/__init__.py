"""A frontier model reads the exam beside the layout engine: windows, prompts, readings, settling, assembly."""
