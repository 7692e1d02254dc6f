package sarif

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
)

// IsPacked reports whether a document begins as a gzip stream does.
func IsPacked(document []byte) bool { return bytes.HasPrefix(document, []byte{0x1f, 0x8b}) }

// ErrPackedTwice reports a gzip stream in a gzip stream.
var ErrPackedTwice = fmt.Errorf("%w: it is packed with gzip twice", ErrInvalid)

// open returns the unpacked bytes of a document, without a byte order mark. A gzip stream is known by its first bytes.
func open(r io.Reader) (io.Reader, error) {
	text := bufio.NewReader(r)
	first, _ := text.Peek(3)
	if IsPacked(first) {
		z, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("%w: its gzip header cannot be read", ErrInvalid)
		}
		text = bufio.NewReader(z)
		if first, _ = text.Peek(3); IsPacked(first) {
			return nil, ErrPackedTwice
		}
	}
	switch {
	case bytes.HasPrefix(first, []byte{0xef, 0xbb, 0xbf}):
		_, _ = text.Discard(3)
	case bytes.HasPrefix(first, []byte{0xff, 0xfe}), bytes.HasPrefix(first, []byte{0xfe, 0xff}): // as PowerShell redirects output
		return nil, fmt.Errorf("%w: it must be UTF-8, and is UTF-16", ErrInvalid)
	}
	return text, nil
}

// guard passes the bytes of a JSON text on while they are within the limits.
type guard struct {
	ctx   context.Context
	from  io.Reader
	bytes int64 // that may still come
	depth int   // that may still be opened

	inString, escaped bool
	err               error // the first one; the bytes after it are not passed on
}

// Read implements [io.Reader]. It fills p, because the decoder reads white space again after each part that it gets: parts of 32 KiB, as
// unpacked ones are, would cost the square of their number.
func (g *guard) Read(p []byte) (n int, err error) {
	for g.err == nil && err == nil && n < len(p) {
		var more int
		if g.err = g.ctx.Err(); g.err == nil {
			more, err = g.from.Read(p[n:])
			n += more
		}
	}
	if g.err != nil {
		return 0, g.err
	}
	if g.err = g.check(p[:n]); g.err != nil {
		return 0, g.err
	}
	return n, err
}

// check counts the bytes and the depth of the next part of the text.
func (g *guard) check(part []byte) error {
	if g.bytes -= int64(len(part)); g.bytes < 0 {
		return fmt.Errorf("%w: it has more bytes, unpacked", ErrTooLarge)
	}
	for _, c := range part {
		switch {
		case g.escaped:
			g.escaped = false
		case g.inString:
			g.escaped, g.inString = c == '\\', c != '"'
		case c == '"':
			g.inString = true
		case c == '{', c == '[':
			if g.depth--; g.depth < 0 {
				return fmt.Errorf("%w: its values are nested too deeply", ErrTooLarge)
			}
		case c == '}', c == ']':
			g.depth++
		}
	}
	return nil
}
