"""Drawings, pictures and tables: found, cropped, attached to what they belong to."""
