# How Python's urllib reads the URLs of its input: see parsers.js.
import sys
from urllib.parse import urlsplit

for line in sys.stdin:
    try:
        url = urlsplit(line.rstrip("\n"))
        port = "" if url.port is None else str(url.port)
        print(url.hostname or "", port, url.path, sep="\t")
    except ValueError:
        print("refused")
