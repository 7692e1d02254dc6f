package sarif

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
)

// open returns the unpacked bytes of a document, without a byte order mark. A gzip stream is known by its first bytes.
func open(r io.Reader) (io.Reader, error) {
	packed := bufio.NewReader(r)
	if magic, _ := packed.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("%w: its gzip header cannot be read", ErrInvalid)
		}
		packed = bufio.NewReader(z)
	}
	if mark, _ := packed.Peek(3); bytes.Equal(mark, []byte{0xef, 0xbb, 0xbf}) {
		_, _ = packed.Discard(3)
	}
	return packed, nil
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

// Read implements [io.Reader].
func (g *guard) Read(p []byte) (int, error) {
	if g.err == nil {
		g.err = g.ctx.Err()
	}
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.from.Read(p)
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
