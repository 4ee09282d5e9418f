"""What `dev.py` is made of. Plain Python 3.11+, standard library only; nothing here is part of the extension."""
