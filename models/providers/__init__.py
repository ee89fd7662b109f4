"""One module per protocol, each behind the same three functions: a body, a call, a reading of the reply."""
