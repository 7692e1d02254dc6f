package webhook

import (
	"errors"
	"io"
	"net"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/assay-dev/assay/internal/errs"
)

const (
	// bodyTime is how long a body may take to arrive: GitHub gives up on a delivery after 10 seconds
	// (https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks).
	bodyTime = 10 * time.Second

	// firstPiece is the first memory of a body, in bytes. More is reserved only as data arrives.
	firstPiece = 8 << 10

	// ordinary is the maximum size of bodies with separate memory, in bytes, so that large bodies cannot
	// exclude ordinary ones.
	ordinary = 64 << 10
)

// bodyMemory is the memory for the bodies of all deliveries in progress. It is safe for concurrent use.
type bodyMemory struct {
	small *semaphore.Weighted // for bodies up to [ordinary]
	large *semaphore.Weighted // for larger bodies, as a whole
}

// newBodyMemory returns a memory of the given size, with a quarter for ordinary bodies.
func newBodyMemory(bytes int64) *bodyMemory {
	return &bodyMemory{small: semaphore.NewWeighted(bytes / 4), large: semaphore.NewWeighted(bytes - bytes/4)}
}

// body is the body of one delivery in progress. It discards the data unless kept is set.
type body struct {
	bodyMemory *bodyMemory
	kept       bool
	declared   int64 // the sender's declared length, or -1
	most       int64 // maximum length
	data       []byte
	small      int64 // reserved from bodyMemory.small
	large      int64 // reserved from bodyMemory.large
}

// leave releases the memory. The data must not be used afterwards.
func (b *body) leave() {
	b.bodyMemory.small.Release(b.small)
	b.bodyMemory.large.Release(b.large)
	b.data, b.small, b.large = nil, 0, 0
}

// read reads the body to its end, and writes each piece to also as it arrives.
func (b *body) read(from io.Reader, also io.Writer) error {
	var passing []byte // the buffer of a discarded body
	if !b.kept {
		passing = make([]byte, firstPiece)
	}
	for total := int64(0); ; {
		into := passing
		if b.kept {
			if err := b.grow(); err != nil {
				return err
			}
			into = b.data[len(b.data):cap(b.data)]
		}
		n, err := from.Read(into)
		_, _ = also.Write(into[:n]) // hashes never fail
		if b.kept {
			b.data = b.data[:len(b.data)+n]
		}
		switch total += int64(n); {
		case total > b.most:
			return tooLarge(b.most)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return unreadable(err)
		}
	}
}

// grow ensures memory for the next piece. It doubles the memory, up to the declared length plus one byte,
// which shows whether more data comes.
func (b *body) grow() error {
	have := int64(cap(b.data))
	if int64(len(b.data)) < have {
		return nil
	}
	want := max(2*have, firstPiece)
	if b.declared >= have {
		want = min(want, b.declared+1)
	}
	want = min(max(want, have+1), b.most+1)
	if err := b.take(want); err != nil {
		return err
	}
	more := make([]byte, len(b.data), want)
	copy(more, b.data)
	b.data = more
	return nil
}

// take reserves memory for a total number of bytes. A body that outgrows the ordinary size moves to the
// large memory and frees its ordinary memory.
func (b *body) take(bytes int64) error {
	if bytes <= ordinary {
		if !b.bodyMemory.small.TryAcquire(bytes - b.small) {
			return busy()
		}
		b.small = bytes
		return nil
	}
	if !b.bodyMemory.large.TryAcquire(bytes - b.large) {
		return busy()
	}
	b.large = bytes
	b.bodyMemory.small.Release(b.small)
	b.small = 0
	return nil
}

func busy() error {
	e := errs.New(errs.Unavailable, "busy", "Too much is being delivered at the moment. Send it again later.")
	e.RetryAfter = retryAfter
	return e
}

func tooLarge(most int64) error {
	return errs.New(errs.TooLarge, "too_large", "The delivery is larger than %d bytes.", most)
}

// unreadable returns the error for a body that did not arrive.
func unreadable(err error) error {
	if late, is := errors.AsType[net.Error](err); is && late.Timeout() {
		return errs.Wrap(err, errs.Malformed, "too_slow", "The body did not arrive within %v.", bodyTime)
	}
	return errs.Wrap(err, errs.Malformed, "unreadable", "The body could not be read to its end.")
}
