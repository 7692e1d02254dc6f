package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// Conn carries messages between parent and child. A message is a gob value in a frame that begins with four
// bytes of length. It is not safe for concurrent use.
type Conn struct {
	in  *frames
	out io.Writer
	enc *gob.Encoder
	dec *gob.Decoder
	buf bytes.Buffer
	bad error // the first error of the pipe or the encoding; later calls return it
}

// maxFrame is the maximum size of one message in bytes.
const maxFrame = 128 << 20

// errOutput reports that the other side sent more than allowed.
var errOutput = errors.New("more bytes than allowed")

func newConn(r io.Reader, w io.Writer) *Conn {
	c := &Conn{in: &frames{r: r, left: -1}, out: w}
	c.enc, c.dec = gob.NewEncoder(&c.buf), gob.NewDecoder(c.in)
	return c
}

// Send writes a message. gob must be able to encode the value.
func (c *Conn) Send(v any) error {
	if c.bad != nil {
		return c.bad
	}
	c.buf.Reset()
	c.buf.Write(make([]byte, 4))
	if err := c.enc.Encode(v); err != nil {
		return c.fail(err)
	}
	b := c.buf.Bytes()
	n := len(b) - 4
	if n > maxFrame {
		return c.fail(errOutput)
	}
	binary.BigEndian.PutUint32(b, uint32(n)) //nolint:gosec // bounded above
	_, err := c.out.Write(b)
	if c.buf.Cap() > 1<<20 {
		c.buf = bytes.Buffer{}
	}
	return c.fail(err)
}

// Receive reads the next message into a pointer. It returns io.EOF at the end.
func (c *Conn) Receive(v any) error {
	if c.bad != nil {
		return c.bad
	}
	return c.fail(c.dec.Decode(v))
}

func (c *Conn) fail(err error) error {
	if err != nil && c.bad == nil {
		c.bad = err
	}
	return err
}

// frames reads the content of consecutive frames. It never reads past the current frame.
type frames struct {
	r    io.Reader
	rest int   // unread bytes of the current frame
	left int64 // bytes that may still come; negative means unbounded
	got  int64 // bytes of all frames so far
}

func (f *frames) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for f.rest == 0 {
		var head [4]byte
		if _, err := io.ReadFull(f.r, head[:]); err != nil {
			return 0, err
		}
		n := binary.BigEndian.Uint32(head[:])
		if n > maxFrame || f.left >= 0 && int64(n) > f.left {
			return 0, fmt.Errorf("a message of %d bytes: %w", n, errOutput)
		}
		if f.left >= 0 {
			f.left -= int64(n)
		}
		f.rest = int(n)
		f.got += int64(n)
	}
	n, err := f.r.Read(p[:min(len(p), f.rest)])
	f.rest -= n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
