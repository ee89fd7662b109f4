"""Takers sit the exam: a bundle in, an answer sheet out."""
