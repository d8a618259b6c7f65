# Reads requests as they arrived, a line of JSON in hex each, and prints "right" for each whose AWS
# signature is that of the server's own reading of it, else what was expected.
import hashlib, hmac, json, re, sys
from urllib.parse import quote, unquote_to_bytes

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
UNRESERVED = "-_.~"
S3 = {"s3", "s3express", "s3-object-lambda", "s3-outposts"}


def canonical_query(query):
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    return "&".join("=".join(pair) for pair in sorted(
        (quote(unquote_to_bytes(name), safe=UNRESERVED), quote(unquote_to_bytes(value), safe=UNRESERVED))
        for name, _, value in pairs))


def canonical_path(path, service):
    if service in S3:
        return "/".join(quote(unquote_to_bytes(segment), safe=UNRESERVED) for segment in path.split("/"))
    return quote(re.sub("//+", "/", path), safe="/" + UNRESERVED)


def signature(request, place, signed):
    day, region, service, last = place.split("/")
    headers = request["headers"]
    path, _, query = request["uri"].partition("?")
    body_hash = headers.get("x-amz-content-sha256") or hashlib.sha256(bytes.fromhex(request["body"])).hexdigest()
    lines = "".join("%s:%s\n" % (name, " ".join(headers[name].split())) for name in signed.split(";"))
    canonical = "\n".join([request["method"], canonical_path(path, service), canonical_query(query), lines, signed,
                           body_hash])
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], place, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + SECRET).encode()
    for part in (day, region, service, last, text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


for line in open(sys.argv[1]):
    request = json.loads(bytes.fromhex(line.strip()))
    place, signed, given = re.fullmatch("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/(.*), SignedHeaders=(.*), Signature=(.*)",
                                        request["headers"]["authorization"]).groups()
    expected = signature(request, place, signed)
    if place.split("/")[2] in S3 and "x-amz-content-sha256" not in request["headers"]:
        expected = "x-amz-content-sha256"
    must = {"host", "x-amz-date"} | {name for name in request["headers"] if name.startswith("x-amz-")}
    right = given == expected and must <= set(signed.split(";")) and not {"user-agent", "pragma"} & set(signed.split(";"))
    print("right" if right else "%s, expected %s: %s" % (given, expected, request))
