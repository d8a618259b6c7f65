# Usage: python3 parts.py FILE   prints the parts of a MIME message of the media type
# multipart/form-data, as Python's own parser reads them: a line for each, with its name, file
# name, media type and data between quotes in hex, "-" for none.
import email
import sys


def hex_of(text):
    return "-" if text is None else '"' + text.encode("latin-1").hex() + '"'


with open(sys.argv[1], encoding="latin-1", newline="") as file:
    message = email.message_from_file(file)
assert message.get_content_type() == "multipart/form-data", message["content-type"]
assert message.is_multipart() and not message.defects, message.defects
assert not message.preamble and not message.epilogue
for part in message.get_payload():
    assert not part.defects and not part.is_multipart(), part.defects
    assert part.get_content_disposition() == "form-data", part["content-disposition"]
    fields = [part.get_param("name", header="content-disposition"), part.get_filename()]
    print(*map(hex_of, fields + [part["content-type"], part.get_payload()]))
