"""What are these bytes?  By magika, which carries its model."""
import magika

m = magika.Magika()
for text in (b"#!/bin/sh\nset -eu\necho hello world\n" * 4,
             b"import os\n\n\ndef main():\n    print(os.getcwd())\n" * 4,
             b"{\"a\": [1, 2, 3], \"b\": null}\n" * 9,
             b"# Title\n\nSome *text* in a [document](http://x).\n" * 5) * 10:
    print(m.identify_bytes(text).output.label)
